/// One part of the way of a request to its response, around the parts that follow it.
///
/// A stage may answer itself, send on something else, send on several times, or look at what comes back. A request that
/// has no use for a stage does not go through it: see ``Pipeline``.
///
/// A class: a task then has room for a pointer to it, and not for whatever it is.
protocol Stage: AnyObject, Sendable {
    /// `true` for a stage that runs code of others which waits, or that only the end of its task wakes. A request with such
    /// a stage has a task of its own.
    var mayWait: Bool { get }

    /// Answers a request, by itself or with what follows.
    ///
    /// - Parameters:
    ///   - request: The request, as the parts before have made it.
    ///   - run: The run that it belongs to.
    ///   - next: What follows.
    /// - Returns: What was received.
    /// - Throws: ``ErrandError`` when there is no response.
    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received
}

/// A response on its way back through the stages.
struct Received: Sendable {
    var response: HTTPResponse
    /// The part of a cache in it; few responses have one, and a pointer takes little room in a task.
    let cached: Cached?

    final class Cached: Sendable {
        /// `true` for a response that the endpoint has accepted already: its value is there.
        let isAccepted: Bool
        /// The work of the HTTP cache, if it was asked.
        let status: ResponseSource.CacheStatus?
        /// The work that waits until the endpoint has accepted the response, called with the status that a hook gave it.
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

/// The stages of a run that follow, and behind them the wire.
struct NextStages: Sendable {
    private let pipeline: Pipeline
    /// The number of stages before.
    private var count = 0
    /// What finds out whether the request goes out as the one whom a cache knows; `nil` where nothing is stored.
    var identity: SentIdentity?

    init(_ pipeline: Pipeline) {
        self.pipeline = pipeline
    }

    /// Sends a request on; always inlined, for each function in between is one more that waits.
    @inline(__always)
    func pass(_ request: HTTPRequest, _ run: RequestRun) async throws(ErrandError) -> Received {
        guard self.count < self.pipeline.stages.count else {
            return Received(try await run.send(request, for: self.identity))
        }
        var next = self
        next.count += 1
        return try await self.pipeline.stages[self.count].handle(request, run, next)
    }

    /// Sends a request on; whatever comes of that is a result.
    @inline(__always)
    func result(of request: HTTPRequest, _ run: RequestRun) async -> Result<Received, ErrandError> {
        do throws(ErrandError) {
            return .success(try await self.pass(request, run))
        } catch {
            return .failure(error)
        }
    }
}
