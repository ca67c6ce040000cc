internal import Errand

/// A call that answers a text.
struct TextCall: Endpoint {
    typealias Response = String

    var path: EndpointPath
    var method = HTTPMethod.get
    var body = RequestBody.none
    var options = RequestOptions()

    init(_ path: String = "a", _ configure: (inout TextCall) -> Void = { _ in }) {
        self.path = EndpointPath(uncheckedReference: path)
        configure(&self)
    }
}

/// A name that is legal and not kind to those who write it between quotes.
struct `Say "hi", Zoë 😀`: Endpoint {
    typealias Response = String
    var path: EndpointPath { "nasty" }
}
