internal import Errand

/// Sends on up to so many times, until there is an answer.
struct TryAgain: Interceptor {
    let times: Int

    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        try await self.send(request, next, triesLeft: self.times)
    }

    private func send(
        _ request: HTTPRequest, _ next: InterceptorNext, triesLeft: Int
    ) async throws(ErrandError) -> HTTPResponse {
        do throws(ErrandError) {
            return try await next(request)
        } catch {
            guard triesLeft > 1, error.code == .connectionLost else { throw error }
        }
        return try await self.send(request, next, triesLeft: triesLeft - 1)
    }
}
