internal import Errand

/// A call that answers a text.
struct LogCall: Endpoint {
    typealias Response = String

    var path: Path
    var method = HTTPMethod.get
    var parameters: Parameters = [:]
    var headers: HTTPFields = [:]
    var body = RequestBody.none
    var caching = CachePolicy.never

    init(_ path: String = "a", _ configure: (inout LogCall) -> Void = { _ in }) {
        self.path = Path(uncheckedReference: path)
        configure(&self)
    }
}
