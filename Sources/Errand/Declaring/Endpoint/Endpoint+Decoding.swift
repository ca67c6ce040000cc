public import struct Foundation.Data

/// What endpoints decode by default, by what they answer.
extension Endpoint {
    /// Decodes a response of a content type that the decoder reads, unless the validation has looked at that.
    fileprivate func decode(
        _ response: HTTPResponse, with decoder: any ResponseDecoder<Response>
    ) throws -> Response {
        if self.validation.contentTypes == nil, let refusal = response.refusal(accepting: decoder.contentTypes) {
            throw refusal
        }
        return try decoder.decode(response)
    }
}

extension Endpoint where Response: Decodable {
    /// One of JSON; for `Data` and `String` one that answers the body.
    @inlinable public var decoder: any ResponseDecoder<Response> { DefaultDecodableDecoder() }

    /// Decodes JSON, or what the decoder reads.
    ///
    /// - Throws: ``ErrandError``, and what a decoder of the endpoint's own throws.
    public func decode(_ response: HTTPResponse) throws -> Response { try self.decode(response, with: self.decoder) }
}

extension Endpoint where Response == Data {
    /// Returns the bytes, or what the decoder makes.
    ///
    /// - Throws: ``ErrandError``, and what a decoder of the endpoint's own throws.
    public func decode(_ response: HTTPResponse) throws -> Response {
        let decoder = self.decoder
        // There is nothing to ask this one for, and nothing is quicker.
        if type(of: decoder) == DefaultDecodableDecoder<Data>.self { return response.data }
        return try self.decode(response, with: decoder)
    }
}

extension Endpoint where Response == String {
    /// Decodes the text in the charset that the response names, or what the decoder reads.
    ///
    /// - Throws: ``ErrandError``, and what a decoder of the endpoint's own throws.
    public func decode(_ response: HTTPResponse) throws -> Response { try self.decode(response, with: self.decoder) }
}

extension Endpoint where Response == Void {
    /// Answers nothing, whatever the body.
    ///
    /// - Throws: ``ErrandError``, and what a decoder of the endpoint's own throws.
    public func decode(_ response: HTTPResponse) throws -> Response { try self.decode(response, with: self.decoder) }
}

extension Endpoint where Response == XMLTree {
    /// Decodes XML, or what the decoder reads.
    ///
    /// - Throws: ``ErrandError``, and what a decoder of the endpoint's own throws.
    public func decode(_ response: HTTPResponse) throws -> Response { try self.decode(response, with: self.decoder) }
}

extension Endpoint where Response == DownloadedFile {
    /// Returns the file that the body went into.
    ///
    /// - Throws: ``ErrandError``, and what a decoder of the endpoint's own throws.
    public func decode(_ response: HTTPResponse) throws -> Response { try self.decode(response, with: self.decoder) }
}

// MARK: - What a request does with a response

extension HTTPResponse {
    /// Up to this size a body is looked through and decoded where the request is; a larger one apart from its actor.
    ///
    /// JSON of this size takes about a millisecond, and leaving the actor and coming back a hundredth of that.
    static let smallBody = 16 << 10
}

extension Endpoint {
    /// The value of a response.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``, or what the decoding threw as one.
    func value(from response: HTTPResponse) throws(ErrandError) -> Response {
        do {
            return try self.decode(response)
        } catch {
            throw ErrandError(wrapping: error, as: .decodingFailed, "the body could not be decoded")
        }
    }

    @concurrent
    func valueOffActor(from response: HTTPResponse) async throws(ErrandError) -> Response {
        try self.value(from: response)
    }

    /// The value that is read from the body of a response while it comes.
    ///
    /// - Throws: ``ErrandError``.
    func value(reading response: StreamedResponse) async throws(ErrandError) -> Response {
        func read(_ call: some StreamingCall) async throws -> Response? { try await call.read(response) as? Response }
        do {
            if let call = self as? any StreamingCall, let value = try await read(call) { return value }
        } catch {
            throw ErrandError(wrapping: error, as: .callbackFailed, "reading the body failed")
        }
        throw ErrandError(.unsupported, "the body of the response came as a stream, which the endpoint cannot read")
    }

    /// Why a response is not accepted; `nil` if it is.
    func refusal(of response: HTTPResponse) -> ErrandError? {
        self.validation.refusal(of: response, for: self.decoder)
    }

    @concurrent
    func refusalOffActor(of response: HTTPResponse) async -> ErrandError? {
        self.refusal(of: response)
    }
}
