internal import Errand

/// Asks for a text.
struct GetText: Endpoint {
    typealias Response = String
    var path: EndpointPath
    let options: RequestOptions

    init(_ path: String, caching: CachePolicy = .never, interceptors: [any Interceptor] = []) {
        self.path = EndpointPath(uncheckedReference: path)
        self.options = .caching(caching).interceptors(interceptors)
    }
}
