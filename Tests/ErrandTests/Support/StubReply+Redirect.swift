internal import Errand
internal import ErrandTesting
internal import Foundation

extension StubReply {
    /// A redirection.
    static func redirect(_ location: String, _ status: HTTPStatus = 302, headers: HTTPFields = [:]) -> StubReply {
        var headers = headers
        headers["Location"] = location
        return .data(Data("elsewhere".utf8), status: status, headers: headers)
    }
}
