/// The networks of a system, as its own interface reports them.
protocol NetworkSource: Sendable {
    /// The current networks.
    var path: NetworkPath { get }

    /// Calls an action after each possible change, on any thread, until the returned function is called.
    ///
    /// Is called again only after that.
    ///
    /// - Returns: The function, or `nil` if changes cannot be observed.
    func observe(_ action: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
}
