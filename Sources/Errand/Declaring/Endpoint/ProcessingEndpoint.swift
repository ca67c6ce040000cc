/// An endpoint with a hand in how its requests are processed: signing what goes out, unpacking what comes in.
///
/// The hooks run on the request's own actor, one after another, as a part of the request: it waits for them, and while
/// the first two run its deadline for the whole counts and whoever cancels it cancels their task. No slot is held
/// meanwhile. In which order, among the hooks of accessories:
///
/// `willStart`, `didStart`, **``prepare(_:)``**, cache and network, **``didReceive(_:)``**, validation and decoding,
/// **``didFinish(_:)``** or **``didFail(_:)``**, `willStop`, closures for the outcome, `didStop`.
///
/// A request that never started, because its endpoint could not be resolved or it was cancelled before, has none of
/// them. An endpoint that is no `ProcessingEndpoint` pays nothing: not a single `await` is spent on it.
public protocol ProcessingEndpoint: Endpoint {
    /// Changes the request before the cache and the interceptors see it.
    ///
    /// Everything may be changed: method, URL, header fields and body. Accessories have been told of the request as the
    /// endpoint declares it; what is stored in the cache, and looked up there, goes by the request as it is afterwards.
    /// Called once for each request, and not again for redirections, challenges or when an interceptor sends it on once
    /// more.
    ///
    /// - Throws: Anything, to send nothing; an error that is not an ``ErrandError`` becomes the cause of one with the
    ///   code ``ErrandError/Code/hookFailed``.
    func prepare(_ request: inout HTTPRequest) async throws

    /// Changes a response before it is validated and decoded, whether the network or the cache had it.
    ///
    /// Header fields, status and a body in memory may be changed. A body that is a stream or a file may be replaced,
    /// and must not be read. The cache keeps the response as it was before. Called once for each response that would
    /// otherwise be validated: not for redirections that were followed, and not for what interceptors keep to
    /// themselves. A response of the cache for which it throws is not used.
    ///
    /// - Throws: Anything, to fail the request; an error that is not an ``ErrandError`` becomes the cause of one with
    ///   the code ``ErrandError/Code/hookFailed``.
    func didReceive(_ response: inout HTTPResponse) async throws

    /// The request has its value; nothing can change that any more.
    ///
    /// Not called when the endpoint was used for another value than its own, by
    /// ``Client/download(_:to:existing:resuming:sha256:options:)`` or ``Client/stream(_:buffer:options:_:)``.
    func didFinish(_ response: TypedResponse<Response>) async

    /// The request failed, or was cancelled: then the code is ``ErrandError/Code/cancelled``, and the task is
    /// cancelled.
    func didFail(_ error: ErrandError) async
}

extension ProcessingEndpoint {
    /// Changes nothing.
    public func prepare(_ request: inout HTTPRequest) async throws {}
    /// Changes nothing.
    public func didReceive(_ response: inout HTTPResponse) async throws {}
    /// Does nothing.
    public func didFinish(_ response: TypedResponse<Response>) async {}
    /// Does nothing.
    public func didFail(_ error: ErrandError) async {}
}

extension ProcessingEndpoint {
    /// The request as the endpoint's hook makes it, and as it may be sent.
    func prepared(_ request: HTTPRequest, under terms: RequestTerms) async throws(ErrandError) -> HTTPRequest {
        let prepared = try await terms.plan.defaults.json.useThroughout { () async throws(ErrandError) in
            var prepared = request
            do {
                try await self.prepare(&prepared)
            } catch {
                throw ErrandError(wrapping: error, as: .hookFailed, "\(type(of: self)).prepare failed")
            }
            return prepared
        }
        return try terms.plan.checked(prepared, with: terms.options, insteadOf: request.url)
    }

    /// A response as the endpoint's hook makes it.
    func received(_ received: HTTPResponse, with json: JSONCoding) async throws(ErrandError) -> HTTPResponse {
        try await json.useThroughout { () async throws(ErrandError) in
            var response = received
            do {
                try await self.didReceive(&response)
            } catch {
                throw ErrandError(wrapping: error, as: .hookFailed, "\(type(of: self)).didReceive failed")
            }
            return response
        }
    }
}
