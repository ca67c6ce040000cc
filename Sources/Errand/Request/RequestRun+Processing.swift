internal import struct Foundation.Data

/// The hooks of an endpoint, and what it accepts: between the wire and the value.
extension RequestRun {
    /// Lets an endpoint change the request that is about to be sent.
    ///
    /// - Throws: ``ErrandError`` when it must not be sent.
    @inline(never)
    func prepare(for processing: any ProcessingEndpoint) async throws(ErrandError) {
        guard let request = self.request, let plan = self.plan else { throw .cancelled() }
        let prepared = try await processing.prepared(request, from: plan)
        self.request = prepared
        self.lifeline.note(prepared.url)
    }

    /// Answers a response as the endpoint makes it, if it has hooks, and keeps that for the context of errors.
    func process(_ response: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        guard let processing = self.endpoint.processing else { return response }
        let processed = try await processing.received(response)
        self.response = processed
        return processed
    }

    /// Why a response is not accepted; nothing if it is.
    func refusal(of response: HTTPResponse) async -> ErrandError? {
        let validation = self.endpoint.validation
        guard !validation.acceptsHead(of: response) || validation.looksIntoContent else { return nil }
        guard response.data.count > HTTPResponse.smallBody else { return self.endpoint.refusal(of: response) }
        return await self.endpoint.refusalOffActor(of: response)
    }
}

extension HTTPResponse {
    /// Up to this size a body is looked through in well under a millisecond: not worth leaving an actor for.
    static let smallBody = 64 << 10
}

extension Endpoint {
    fileprivate func refusal(of response: HTTPResponse) -> ErrandError? {
        self.validation.refusal(of: response, for: self.decoder)
    }

    @concurrent
    func refusalOffActor(of response: HTTPResponse) async -> ErrandError? {
        self.refusal(of: response)
    }
}

extension ProcessingEndpoint {
    /// The request as the endpoint's hook makes it, and as it may be sent.
    func prepared(_ request: HTTPRequest, from plan: RequestPlan) async throws(ErrandError) -> HTTPRequest {
        var prepared = request
        do {
            try await self.prepare(&prepared)
        } catch {
            throw ErrandError(wrapping: error, as: .hookFailed, "\(type(of: self)).prepare failed")
        }
        return try plan.checked(prepared, of: self, insteadOf: request.url)
    }

    /// A response as the endpoint's hook makes it.
    func received(_ response: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        var response = response
        do {
            try await self.didReceive(&response)
        } catch {
            throw ErrandError(wrapping: error, as: .hookFailed, "\(type(of: self)).didReceive failed")
        }
        return response
    }
}
