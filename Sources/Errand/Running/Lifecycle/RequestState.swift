package import ErrandMachines

/// The state of a request, batch, or chain.
public enum RequestState: Sendable, Hashable, CaseIterable {
    /// Created, or running its `willStart` hooks.
    case idle
    /// In flight.
    case running
    /// Answered from the cache.
    ///
    /// Terminal unless a refresh was requested.
    case cached
    /// Finished with a response.
    ///
    /// Terminal.
    case finished
    /// Failed or cancelled.
    ///
    /// Terminal.
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
