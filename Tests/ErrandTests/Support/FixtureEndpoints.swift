internal import Errand
internal import Foundation

/// A call that answers a text; every property can be set.
struct FixtureText: Endpoint {
    typealias Response = String

    var path: EndpointPath
    var baseURL = BaseURL.client
    var method = HTTPMethod.get
    var parameters: Parameters = [:]
    var headers: HTTPFields = [:]
    var body = RequestBody.none
    var validation = ResponseValidation.success
    var options = RequestOptions()

    init(_ path: String = "a", _ configure: (inout FixtureText) -> Void = { _ in }) {
        self.path = EndpointPath(uncheckedReference: path)
        configure(&self)
    }
}

/// A call that answers JSON.
struct FixtureJSON<Response: Decodable & Sendable>: Endpoint {
    var path: EndpointPath
    var options = RequestOptions()

    /// JSON for `String` and `Data` too, which would otherwise be the body.
    var decoder: ResponseDecoder<Response> { .json }

    init(_ path: String = "a", _: Response.Type = Response.self) {
        self.path = EndpointPath(uncheckedReference: path)
    }
}

/// A call that answers bytes, declared with nothing but its path.
struct FixtureData: Endpoint {
    var path: EndpointPath = "a"
}

/// A call that answers nothing.
struct FixtureVoid: Endpoint {
    typealias Response = Void
    var path: EndpointPath = "a"
}

/// A call that makes its own value.
struct FixtureCustom<Response: Sendable>: Endpoint {
    var path: EndpointPath = "a"
    let make: @Sendable (HTTPResponse) throws -> Response

    func decode(_ response: HTTPResponse) throws -> Response {
        try self.make(response)
    }
}

/// What an app throws.
struct FixtureError: Error, Equatable, CustomStringConvertible {
    var description = "a failure of the app"
}
