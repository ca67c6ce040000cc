/// The call that equal requests share: sends the request of one of them, and returns its response as it came.
///
/// What becomes of that response is each one's own: hooks, validation, storing, decoding, and the deadline of the whole
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
