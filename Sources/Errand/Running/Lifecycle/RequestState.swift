package import ErrandMachines

/// Where a request, batch or chain is in its life.
public enum RequestState: Sendable, Hashable, CaseIterable {
    /// Made, or its `willStart` hooks are running.
    case idle
    /// On its way.
    case running
    /// Answered from the cache. Terminal, unless a refresh was asked for.
    case cached
    /// Answered. Terminal.
    case finished
    /// Failed or cancelled. Terminal.
    case failed

    package init(_ phase: RequestMachine.Phase) {
        switch phase {
        case .idle: self = .idle
        case .running: self = .running
        case .cached: self = .cached
        case .finished: self = .finished
        case .failed: self = .failed
        }
    }
}
