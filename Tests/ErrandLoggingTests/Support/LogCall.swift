internal import Errand

/// A call that answers a text.
struct LogCall: Endpoint {
    typealias Response = String

    var path: EndpointPath
    var method = HTTPMethod.get
    var parameters: Parameters = [:]
    var headers: HTTPFields = [:]
    var body = RequestBody.none
    var options = RequestOptions()

    init(_ path: String = "a", _ configure: (inout LogCall) -> Void = { _ in }) {
        self.path = EndpointPath(uncheckedReference: path)
        configure(&self)
    }
}
