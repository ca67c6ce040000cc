internal import Errand

extension Request {
    /// The outcome of a request that is over.
    var fixtureResult: Result<Value, ErrandError> {
        get async {
            do throws(ErrandError) {
                return .success(try await self.value)
            } catch {
                return .failure(error)
            }
        }
    }
}

extension RequestState {
    /// Whether nothing comes after it, for a request that is not refreshed.
    var isTerminal: Bool {
        switch self {
        case .idle, .running: false
        case .cached, .finished, .failed: true
        }
    }
}
