internal import struct Foundation.Data

/// What endpoints decode by default, by what they answer.
extension Endpoint {
    /// Decodes a response of a content type that the decoder reads, unless the validation has looked at that.
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
    /// Decodes what the ``decoder`` reads: JSON for a `Decodable` type, unless said otherwise.
    ///
    /// - Throws: What the decoder throws, as the cause.
    public func decode(_ response: HTTPResponse) throws(ErrandError.OfDecoder<Response>) -> Response {
        let decoder = self.decoder
        // There is nothing to ask this one for, and nothing is quicker.
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

// Which of these is taken depends on the type of the response, and on the error of `decode(_:)`, which differs where the
// endpoint has its own. None says `Response ==`: the compiler would then take that type for the response of an endpoint
// that names none.

extension Endpoint {
    /// A decoder that reads nothing and accepts every content type: the endpoint has a ``decode(_:)`` of its own.
    public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultBodyDecoder()) }
}

extension Endpoint where Response: Decodable {
    /// A decoder of JSON; for `Data` and `String` one that returns the body.
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
    /// A decoder of JSON; for `Data` and `String` one that returns the body.
    @inlinable public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultDecodableDecoder()) }
}

extension Endpoint where DecodingFailure == ErrandError.OfDecoder<Void> {
    /// A decoder that returns nothing, whatever the body.
    public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultBodyDecoder()) }
}

extension Endpoint where DecodingFailure == ErrandError.OfDecoder<XMLTree> {
    /// A decoder of XML.
    public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultBodyDecoder()) }
}

extension Endpoint where DecodingFailure == ErrandError.OfDecoder<DownloadedFile> {
    /// A decoder that returns the file that the body went into.
    public var decoder: ResponseDecoder<Response> { ResponseDecoder(base: DefaultBodyDecoder()) }
}

extension ErrandError {
    /// The errors of endpoints that have no ``Endpoint/decode(_:)`` of their own.
    public protocol OfDefaultDecoding: Error {
        /// The error that the decoder threw.
        var cause: any Error { get }
    }

    /// An error of the ``Endpoint/decoder`` of an endpoint that has no ``Endpoint/decode(_:)`` of its own.
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

    /// The value that is read from the body of a response while it comes.
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

    /// Why a response is not accepted; `nil` if it is.
    func refusal(of response: HTTPResponse) -> ErrandError? {
        self.validation.refusal(of: response, for: self.decoder)
    }

    @concurrent
    func refusalOffActor(of response: HTTPResponse) async -> ErrandError? {
        self.refusal(of: response)
    }
}
