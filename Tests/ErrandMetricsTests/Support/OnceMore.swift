internal import Errand

/// Sends a second time what failed.
struct OnceMore: Interceptor {
    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        do { return try await next(request) } catch { return try await next(request) }
    }
}
