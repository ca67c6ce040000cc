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
    public var decoder: any ResponseDecoder<Response> { DefaultDecodableDecoder() }

    /// Decodes JSON, or what the decoder reads.
    ///
    /// - Throws: ``ErrandError``, and what a decoder of the endpoint's own throws.
    public func decode(_ response: HTTPResponse) throws -> Response { try self.decode(response, with: self.decoder) }
}

extension Endpoint where Response == Data {
    /// Answers the bytes, or what the decoder makes.
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
    /// Answers the file that the body went into.
    ///
    /// - Throws: ``ErrandError``, and what a decoder of the endpoint's own throws.
    public func decode(_ response: HTTPResponse) throws -> Response { try self.decode(response, with: self.decoder) }
}
