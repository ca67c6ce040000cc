/// The outcome of a linearizability check.
public enum Linearizability: Sendable {
    /// An order of the operations explains the history.
    case linearizable
    /// No order of the operations explains the history.
    case notLinearizable(NotLinearizable)
    /// The search was given up after the given number of configurations.
    case undecided(searched: Int)
}

/// The error of a check that was given up: the history may or may not be linearizable.
public struct LinearizabilityUndecided: Error, Sendable, Hashable {
    /// The number of configurations that were searched.
    public let searched: Int
}

extension LinearizabilityUndecided: CustomStringConvertible {
    /// The number of configurations, with advice.
    public var description: String {
        "Undecided: \(self.searched) configurations do not settle whether the history is linearizable. Record "
            + "fewer operations, above all fewer at once and fewer that never return, or raise the limit."
    }
}
