import Errand
import ErrandLocks

/// Gives a handle for each exchange of another transport, as one does whose exchanges are no tasks.
///
/// The exchange itself cannot be ended by cancelling the task that waits for it.
final class HandleTransport: Transport {
    private let base: any Transport
    private let stopped = Locked(0)

    /// How many exchanges were ended by their handle.
    var stopCount: Int { self.stopped.withLock { $0 } }

    init(_ base: any Transport) {
        self.base = base
    }

    var handlesStops: Bool { true }

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        let (base, answer) = (self.base, Waiter<Result<HTTPResponse, ErrandError>>())
        // Unstructured: what is to be ended by its handle, not with who waits for it. Ends with the exchange.
        let task = spawn {
            do throws(ErrandError) {
                answer.resume(.success(try await base.exchange(request, context)))
            } catch {
                answer.resume(.failure(error))
            }
        }
        context.onStop {
            self.stopped.withLock { $0 += 1 }
            task.cancel()
        }
        return try await (answer.waitThroughCancellation() ?? .failure(.cancelled())).get()
    }
}
