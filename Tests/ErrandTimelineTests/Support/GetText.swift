internal import Errand

/// Asks for a text.
struct GetText: Endpoint {
    typealias Response = String
    var path: Path
    var caching = CachePolicy.never
    var interceptors: [any Interceptor] = []

    init(_ path: String, caching: CachePolicy = .never, interceptors: [any Interceptor] = []) {
        self.path = Path(uncheckedReference: path)
        self.caching = caching
        self.interceptors = interceptors
    }
}
