internal import Errand
internal import Foundation

/// A request of an outbox on its way: what was written, and what the client adds to every request now.
struct StoredCall: Endpoint {
    typealias Response = HTTPResponse

    let request: StoredRequest
    let bodyFile: URL

    var path: Path { .url(self.request.url) }
    var method: HTTPMethod { HTTPMethod(rawValue: self.request.method) }
    var headers: HTTPFields { HTTPFields(self.request.fields.map { HTTPField(name: $0.name, value: $0.value) }) }
    var body: RequestBody {
        guard self.request.bodySize != nil else { return .none }
        return RequestBody { [bodyFile] in RequestBody.Encoded(.file(bodyFile)) }
    }
    var accept: String { "*/*" }
    var usesCredentials: Bool { self.request.usesCredentials ?? true }

    func decode(_ response: HTTPResponse) -> HTTPResponse { response }
}
