/// The stage of an unsafe request that invalidates stored responses which it may have changed (RFC 9111 §4.4).
///
/// It applies to responses stored by the rules of HTTP, whatever the cache policy of the request's own endpoint.
final class InvalidationStage: Stage {
    private let cache: CacheAccess

    init(in cache: CacheAccess) {
        self.cache = cache
    }

    var mayWait: Bool { self.cache.mayWait }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        // Before the response, which may change the identity of the next request.
        let presented = await run.identified(run.call.keyRequest ?? request)
        let received = try await next.pass(request, run)
        let response = received.response
        for url in HTTPValidation.invalidated(by: response.head, to: presented, response.origin) {
            await Self.clear(url, presented, in: self.cache, run)
        }
        return received
    }

    /// Removes the responses for a URL, both those without a scope and those of any scope.
    private static func clear(
        _ url: HTTPURL, _ presented: HTTPRequest, in cache: CacheAccess, _ run: RequestRun
    ) async {
        let places = [nil, ""].map {
            HTTPCacheLocation(
                for: presented, at: url, in: cache, of: run.call.endpoint, with: run.shared, scope: $0,
                run.environment)
        }
        for place in places[0].key == places[1].key ? [places[0]] : places { try? await place.clear() }
    }
}
