/// An endpoint that processes its requests and responses, for example to sign requests or unpack responses.
///
/// The hooks run on the request's own actor, one after another, as part of the request, which waits for them. During
/// the first two, the request's total timeout applies, and cancelling the request cancels their task. No slot is held
/// while they run. Their order among the hooks of accessories:
///
/// `willStart`, `didStart`, **``prepare(_:)``**, cache and network, **``didReceive(_:)``**, validation and decoding,
/// **``didFinish(_:)``** or **``didFail(_:)``**, `willStop`, closures for the outcome, `didStop`.
///
/// They do not run for a request that never started, because its endpoint could not be resolved or it was cancelled
/// first. Other endpoints have no overhead, not even an `await`.
public protocol ProcessingEndpoint: Endpoint {
    /// Changes the request before the cache and the interceptors see it.
    ///
    /// The method, URL, header fields and body can all be changed. Accessories have been notified of the request as the
    /// endpoint declares it; the cache uses the changed request. Called once for each request, and not again for
    /// redirects, challenges or further attempts of an interceptor.
    ///
    /// - Throws: Any error, to fail the request before it is sent; one that is not an ``ErrandError`` becomes the cause
    ///   of an error with the code ``ErrandError/Code/hookFailed``.
    func prepare(_ request: inout HTTPRequest) async throws

    /// Changes a response from the network or the cache before it is validated and decoded.
    ///
    /// Header fields, status and a body in memory can be changed. A body that is a stream or a file can be replaced,
    /// but must not be read. The cache keeps the unchanged response. Called once for each response that is to be
    /// validated: not for followed redirects, and not for responses that interceptors do not return. If it throws for a
    /// cached response, that response is not used.
    ///
    /// - Throws: Any error, to fail the request; one that is not an ``ErrandError`` becomes the cause of an error with
    ///   the code ``ErrandError/Code/hookFailed``.
    func didReceive(_ response: inout HTTPResponse) async throws

    /// The request has its final value.
    ///
    /// Not called if the endpoint was used for another value than its own, with
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
    /// Returns the request as the endpoint's hook changes it, checked for sending.
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

    /// Returns a response as the endpoint's hook changes it.
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
