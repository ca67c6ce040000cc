/// The stage of an interceptor.
final class InterceptorStage: Stage {
    let interceptor: any Interceptor

    init(interceptor: any Interceptor) {
        self.interceptor = interceptor
    }

    var mayWait: Bool { true }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        // The cache treats a request with another URL as a different one, unless the interceptor has a partition of its
        // own.
        let mayChange = self.interceptor.hasOwnCachePartition
        let sendOn = InterceptorNext { [url = request.url] request throws(ErrandError) in
            guard run.calls?.isOver == false else { throw .sentOnTooLate }
            if request.url != url, !mayChange { next.identity?.noteAnother() }
            return try await next.pass(request, run).response
        }
        let context = InterceptorContext(
            requestID: run.id, endpoint: run.call.declared, options: run.shared, attempt: run.attempts + 1)
        return try await run.json.useThroughout { [interceptor] () async throws(ErrandError) in
            do {
                var response = try await interceptor.intercept(request, context: context, next: sendOn)
                // A response made by the interceptor itself gets the origin of the last received response.
                if response.origin == nil, let last = run.calls?.last {
                    (response.origin, response.isCut) = (last.origin, last.isCut)
                }
                return Received(response)
            } catch {
                throw ErrandError(wrapping: error, as: .interceptorFailed, "\(type(of: interceptor)) failed")
            }
        }
    }
}
