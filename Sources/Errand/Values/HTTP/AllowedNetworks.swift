/// The kinds of networks that a request may use.
///
/// On Apple platforms, `URLSessionTransport` applies this: a request without an allowed network fails with
/// ``ErrandError/Code/cannotConnect``. Linux does not distinguish these kinds, and every network is allowed.
public struct AllowedNetworks: Sendable, Hashable {
    /// A Boolean value that indicates whether cellular networks are allowed.
    public var cellular: Bool
    /// A Boolean value that indicates whether expensive networks are allowed, such as cellular and personal hotspots.
    public var expensive: Bool
    /// A Boolean value that indicates whether constrained networks (Low Data Mode) are allowed.
    public var lowData: Bool

    /// Creates permissions; all kinds are allowed by default.
    public init(cellular: Bool = true, expensive: Bool = true, lowData: Bool = true) {
        self.cellular = cellular
        self.expensive = expensive
        self.lowData = lowData
    }

    /// Returns the networks that are allowed by both.
    package func intersection(_ other: AllowedNetworks) -> AllowedNetworks {
        AllowedNetworks(
            cellular: self.cellular && other.cellular, expensive: self.expensive && other.expensive,
            lowData: self.lowData && other.lowData)
    }

    /// All networks.
    public static let all = AllowedNetworks()
}
