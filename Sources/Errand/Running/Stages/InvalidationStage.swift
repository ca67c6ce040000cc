/// The part of an unsafe request's way that removes what it may have changed from what is stored by the rules of HTTP,
/// whatever its own endpoint says of caching (RFC 9111 §4.4).
final class InvalidationStage: Stage {
    private let cache: CacheAccess

    init(in cache: CacheAccess) {
        self.cache = cache
    }

    var mayWait: Bool { self.cache.mayWait }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        // Before the response: that may be what makes the next request somebody else's.
        let presented = await run.identified(run.call.keyRequest ?? request)
        let received = try await next.pass(request, run)
        let response = received.response
        for url in HTTPValidation.invalidated(by: response.head, to: presented, response.origin) {
            await Self.clear(url, presented, in: self.cache, run)
        }
        return received
    }

    /// Removes the responses for a URL: those for a scope are kept for all who ask, and go whosever they are.
    private static func clear(
        _ url: HTTPURL, _ presented: HTTPRequest, in cache: CacheAccess, _ run: RequestRun
    ) async {
        let places = [nil, ""].map {
            HTTPCachePlace(
                for: presented, at: url, in: cache, of: run.call.endpoint, with: run.shared, scope: $0,
                run.environment)
        }
        for place in places[0].key == places[1].key ? [places[0]] : places { try? await place.clear() }
    }
}
