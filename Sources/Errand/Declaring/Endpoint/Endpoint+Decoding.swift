internal import struct Foundation.Data

/// The default decoding of endpoints, by response type.
extension Endpoint {
    /// Decodes a response of a content type that the decoder accepts, unless the validation has checked that.
    fileprivate func decode(
        _ response: HTTPResponse, with decoder: ResponseDecoder<Response>
    ) throws -> Response {
        if self.validation.contentTypes == nil, let refusal = response.refusal(accepting: decoder.contentTypes) {
            throw refusal
        }
        return try decoder.decode(response)
    }
}

extension Endpoint {
    /// Decodes the response with the ``decoder``: JSON for a `Decodable` type by default.
    ///
    /// - Throws: The error that the decoder throws, as the cause.
    public func decode(_ response: HTTPResponse) throws(ErrandError.OfDecoder<Response>) -> Response {
        let decoder = self.decoder
        // `Data` needs no decoding, and returning the body is fastest.
        if type(of: decoder.base) as any Any.Type == DefaultDecodableDecoder<Data>.self,
            case .bytes(let bytes) = response.body, let data = bytes as? Response
        {
            return data
        }
        do {
            return try self.decode(response, with: decoder)
        } catch {
            throw ErrandError.OfDecoder(cause: error)
        }
    }
}

// MARK: - Decoders

// The overload depends on the response type, and on the error type of `decode(_:)`, which differs if the endpoint
// implements it. No overload requires `Response ==`: the compiler would then infer that type for an endpoint that
// declares no response.

extension Endpoint {
    /// A decoder that accepts every content type and is not used: the endpoint implements ``decode(_:)``.
    public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultBodyDecoder()) }
}

extension Endpoint where Response: Decodable {
    /// A decoder of JSON; for `Data` and `String`, one that returns the body.
    @inlinable public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultDecodableDecoder()) }
}

extension Endpoint where DecodingFailure: ErrandError.OfDefaultDecoding {
    /// Not available: there is no decoder for the response.
    @available(
        *, unavailable,
        message: """
            the Response cannot be decoded: make it Decodable, and nonisolated in a module whose default isolation is \
            the main actor, or write decode(_:) or decoder
            """
    )
    public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultBodyDecoder()) }
}

extension Endpoint where Response: Decodable, DecodingFailure: ErrandError.OfDefaultDecoding {
    /// A decoder of JSON; for `Data` and `String`, one that returns the body.
    @inlinable public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultDecodableDecoder()) }
}

extension Endpoint where DecodingFailure == ErrandError.OfDecoder<Void> {
    /// A decoder that ignores the body and returns `Void`.
    public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultBodyDecoder()) }
}

extension Endpoint where DecodingFailure == ErrandError.OfDecoder<XMLTree> {
    /// A decoder of XML.
    public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultBodyDecoder()) }
}

extension Endpoint where DecodingFailure == ErrandError.OfDecoder<DownloadedFile> {
    /// A decoder that returns the file that the body was written to.
    public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultBodyDecoder()) }
}

extension ErrandError {
    /// The errors of endpoints that do not implement ``Endpoint/decode(_:)``.
    public protocol OfDefaultDecoding: Error {
        /// The error that the decoder threw.
        var cause: any Error { get }
    }

    /// An error of the ``Endpoint/decoder`` of an endpoint that does not implement ``Endpoint/decode(_:)``.
    ///
    /// Requests fail with its ``cause``.
    public struct OfDecoder<Response>: OfDefaultDecoding, CustomStringConvertible {
        /// The error that the decoder threw.
        public let cause: any Error
        /// The description of the cause.
        public var description: String { "\(self.cause)" }
    }
}

// MARK: - What a request does with a response

extension HTTPResponse {
    /// The maximum size of a body that is validated and decoded on the request's actor; larger ones are decoded off it.
    ///
    /// JSON of this size takes about a millisecond, and leaving and re-entering the actor a hundredth of that.
    static let smallBody = 16 << 10
}

extension Endpoint {
    /// Returns the value of a response.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``, or the ``ErrandError`` that the
    ///   decoding threw.
    func value(from response: HTTPResponse) throws(ErrandError) -> Response {
        do {
            return try self.decode(response)
        } catch {
            let cause = (error as? any ErrandError.OfDefaultDecoding)?.cause ?? error
            throw ErrandError(wrapping: cause, as: .decodingFailed, "the body could not be decoded")
        }
    }

    @concurrent
    func valueOffActor(
        from response: HTTPResponse, with json: JSONCoding
    ) async throws(ErrandError) -> Response {
        try json.use { () throws(ErrandError) in try self.value(from: response) }
    }

    /// Returns the value read from a response body while it arrives.
    ///
    /// - Throws: ``ErrandError``.
    func value(
        reading response: StreamedResponse, with json: JSONCoding
    ) async throws(ErrandError) -> Response {
        func read(_ call: some StreamingCall) async throws(ErrandError) -> Response? {
            try await json.useThroughout { () async throws(ErrandError) in
                do {
                    return try await call.read(response) as? Response
                } catch {
                    throw ErrandError(wrapping: error, as: .callbackFailed, "reading the body failed")
                }
            }
        }
        if let call = self as? any StreamingCall, let value = try await read(call) { return value }
        throw ErrandError(.unsupported, "the body of the response came as a stream, which the endpoint cannot read")
    }

    /// Returns the error for a rejected response; `nil` if it is accepted.
    func refusal(of response: HTTPResponse) -> ErrandError? {
        self.validation.refusal(of: response, for: self.decoder)
    }

    @concurrent
    func refusalOffActor(of response: HTTPResponse) async -> ErrandError? {
        self.refusal(of: response)
    }
}
