internal import struct Foundation.URL

/// A call whose response body is read while it arrives.
package protocol StreamingCall: Endpoint {
    /// Reads the body, as part of the request.
    func read(_ response: StreamedResponse) async throws -> Response
}

/// A call as its endpoint declares it, except for the handling of the body.
protocol BodyCall: Endpoint, DerivedCall {
    associatedtype Base: Endpoint
    var base: Base { get }
}

extension BodyCall {
    static var declaration: Any.Type { Base.self }
    var path: EndpointPath { self.base.path }
    var baseURL: BaseURL { self.base.baseURL }
    var method: HTTPMethod { self.base.method }
    var parameters: Parameters { get throws { try self.base.parameters } }
    var headers: HTTPFields { self.base.headers }
    var body: RequestBody { self.base.body }
    var validation: ResponseValidation { self.base.validation }
    var options: RequestOptions { self.base.options.accept(self.base.decoder.accept) }
    func customRequest() throws -> HTTPRequest? { try self.base.customRequest() }
    var processingBase: (any ProcessingEndpoint)? { self.base as? any ProcessingEndpoint }
}

/// A call whose body is passed to a closure while it arrives.
struct StreamedCall<Base: Endpoint, Response: Sendable>: BodyCall, StreamingCall {
    let base: Base
    let reader: @Sendable (StreamedResponse) async throws -> Response

    func decode(_ response: HTTPResponse) throws -> Response {
        throw ErrandError(.unsupported, "the body of this response comes as a stream")
    }

    func read(_ response: StreamedResponse) async throws -> Response {
        try await self.reader(response)
    }
}

/// A call whose body is written to a file.
struct DownloadCall<Base: Endpoint>: BodyCall {
    typealias Response = DownloadedFile

    let base: Base
}

/// A call whose body is a file.
struct UploadCall<Base: Endpoint>: BodyCall {
    typealias Response = Base.Response

    let base: Base
    let file: URL
    let contentType: MIMEType

    var body: RequestBody { .file(self.file, contentType: self.contentType) }
    var decoder: ResponseDecoder<Response> { self.base.decoder }

    func customRequest() throws -> HTTPRequest? {
        var request = try self.base.customRequest()
        request?.body = .file(self.file)
        request?.headers[HTTPField.Name.contentType] = self.contentType.description
        return request
    }

    func decode(_ response: HTTPResponse) throws -> Response { try self.base.decode(response) }
}

extension Endpoint {
    /// The endpoint, or the endpoint that the call wraps, if it has processing hooks.
    package var processing: (any ProcessingEndpoint)? {
        (self as? any ProcessingEndpoint) ?? (self as? any BodyCall)?.processingBase
    }
}
