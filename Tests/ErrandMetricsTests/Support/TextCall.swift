internal import Errand

/// A call that answers a text.
struct TextCall: Endpoint {
    typealias Response = String

    var path: Path
    var method = HTTPMethod.get
    var body = RequestBody.none
    var caching = CachePolicy.never
    var interceptors: [any Interceptor] = []

    init(_ path: String = "a", _ configure: (inout TextCall) -> Void = { _ in }) {
        self.path = Path(uncheckedReference: path)
        configure(&self)
    }
}

/// A name that is legal and not kind to those who write it between quotes.
struct `Say "hi", Zoë 😀`: Endpoint {
    typealias Response = String
    var path: Path { "nasty" }
}
