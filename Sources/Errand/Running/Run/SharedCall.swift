/// The call that equal requests share: sends the request of one of them, and returns the response unchanged.
///
/// Everything else remains with each request: hooks, validation, caching, decoding, and the deadline of the whole
/// request.
struct SharedCall: Endpoint {
    typealias Response = HTTPResponse

    let base: any Endpoint
    let request: HTTPRequest

    var path: EndpointPath { self.base.path }
    var method: HTTPMethod { self.request.method }
    var validation: ResponseValidation { .any }

    func customRequest() -> HTTPRequest? { self.request }

    func decode(_ response: HTTPResponse) -> HTTPResponse { response }
}
