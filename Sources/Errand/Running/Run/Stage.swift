/// One stage of the path from a request to its response, which encloses the stages after it.
///
/// A stage may answer the request itself, change the request, send it several times, or inspect the response. Requests
/// that need no particular stage do not go through it: see ``Pipeline``.
///
/// A class, so that a task only reserves space for a pointer to it.
protocol Stage: AnyObject, Sendable {
    /// True for a stage that may suspend in user code, or in a wait that only the end of its task wakes.
    ///
    /// A request with such a stage has a task of its own.
    var mayWait: Bool { get }

    /// Answers a request, by itself or with the following stages.
    ///
    /// - Parameters:
    ///   - request: The request as changed by earlier stages.
    ///   - run: The run of the request.
    ///   - next: The following stages.
    /// - Returns: The response.
    /// - Throws: ``ErrandError`` if there is no response.
    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received
}

/// A response on its way back through the stages.
struct Received: Sendable {
    var response: HTTPResponse
    /// The details of caching, in an object because few responses have any, and a pointer takes little space in a task.
    let cached: Cached?

    final class Cached: Sendable {
        /// True if the endpoint has accepted the response already, so that its value is available.
        let isAccepted: Bool
        /// The status of the HTTP cache, if it was consulted.
        let status: ResponseSource.CacheStatus?
        /// Work to do once the endpoint has accepted the response.
        ///
        /// It receives the status as changed by a hook.
        let commit: (@Sendable (HTTPStatus) async -> Void)?

        init(
            isAccepted: Bool = false, status: ResponseSource.CacheStatus? = nil,
            commit: (@Sendable (HTTPStatus) async -> Void)? = nil
        ) {
            (self.isAccepted, self.status, self.commit) = (isAccepted, status, commit)
        }
    }

    init(_ response: HTTPResponse, _ cached: Cached? = nil) {
        self.response = response
        self.cached = cached
    }
}

/// The following stages of a run, and after them the wire.
struct NextStages: Sendable {
    private let pipeline: Pipeline
    /// The number of stages passed.
    private var count = 0
    /// The check that the request is sent with the identity in the cache key; `nil` if no response is stored.
    var identity: SentIdentity?

    init(_ pipeline: Pipeline) {
        self.pipeline = pipeline
    }

    /// Passes a request on.
    ///
    /// Always inlined, because each function in between is another suspended frame.
    @inline(__always)
    func pass(_ request: HTTPRequest, _ run: RequestRun) async throws(ErrandError) -> Received {
        guard self.count < self.pipeline.stages.count else {
            return Received(try await run.send(request, for: self.identity))
        }
        var next = self
        next.count += 1
        return try await self.pipeline.stages[self.count].handle(request, run, next)
    }

    /// Passes a request on, and returns its outcome as a result.
    @inline(__always)
    func result(of request: HTTPRequest, _ run: RequestRun) async -> Result<Received, ErrandError> {
        do throws(ErrandError) {
            return .success(try await self.pass(request, run))
        } catch {
            return .failure(error)
        }
    }
}
