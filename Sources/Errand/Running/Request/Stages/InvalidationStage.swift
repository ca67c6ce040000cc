/// The part of an unsafe request's way that removes what it may have changed from what is stored by the rules of HTTP,
/// whatever its own endpoint says of caching (RFC 9111 §4.4).
final class InvalidationStage: Stage {
    /// The request as the cache tells it from others, where that is not the one that is sent.
    let keyRequest: HTTPRequest?

    init(keyRequest: HTTPRequest?) {
        self.keyRequest = keyRequest
    }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        // Before the response: that may be what makes the next request somebody else's.
        let keyRequest = self.keyRequest ?? request
        let presented = await run.whileStoppable { run throws(Never) in await run.identified(keyRequest) }
        let received = try await next.pass(request, run)
        guard let cache = run.environment.cacheAccess else { return received }
        let urls = HTTPValidation.invalidated(by: received.head, to: presented, received.origin)
        guard !urls.isEmpty else { return received }
        await run.whileStoppable { run throws(Never) in
            for url in urls { await Self.clear(url, presented, in: cache, run) }
        }
        return received
    }

    /// What is stored for a scope is kept for whoever asks, and goes whosever it is.
    private static func clear(
        _ url: HTTPURL, _ presented: HTTPRequest, in cache: CacheAccess, _ run: RequestRun
    ) async {
        let places = [nil, ""].map {
            run.environment.httpCachePlace(
                for: presented, in: cache, of: run.endpoint, with: run.shared, scope: $0, at: url)
        }
        for place in places[0].key == places[1].key ? [places[0]] : places { try? await place.clear() }
    }
}
