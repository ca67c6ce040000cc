internal import Errand

/// Asks for a number, in JSON.
struct GetNumber: Endpoint {
    typealias Response = Int
    let path: EndpointPath
}
