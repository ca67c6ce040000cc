/// Whether a history is linearizable.
public enum Linearizability: Sendable {
    /// There is an order that explains it.
    case linearizable
    /// There is none.
    case notLinearizable(NotLinearizable)
    /// The search was given up after so many configurations.
    case undecided(searched: Int)
}

/// The error of a check that was given up: the history may be linearizable or not.
public struct LinearizabilityUndecided: Error, Sendable, Hashable {
    /// The number of configurations that were searched.
    public let searched: Int
}

extension LinearizabilityUndecided: CustomStringConvertible {
    /// The number, and what can be done.
    public var description: String {
        "Undecided: whether the history is linearizable was not found out in \(self.searched) configurations. Record "
            + "fewer operations, above all fewer at once and fewer that never return, or raise the limit."
    }
}
