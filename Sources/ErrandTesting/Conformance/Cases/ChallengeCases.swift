internal import Errand
internal import Foundation

extension TransportConformance {
    private static let posting = ConformanceExchange(method: .post, body: .bytes(Data("content".utf8)))

    private static func challenge(_ status: Int, _ field: String) -> Data {
        .message("HTTP/1.1 \(status) Who", field, "Content-Length: 5", body: "hello")
    }

    /// Challenges are delivered and never responded to: a transport has no credentials of its own.
    static let challengeCases: [Case] = [
        Case(
            "challenge-basic", "A 401 that asks for Basic credentials is delivered with its body",
            reply: challenge(401, "WWW-Authenticate: Basic realm=\"a\""),
            is: .response(401, fields: ["WWW-Authenticate": "Basic realm=\"a\""])),
        Case(
            "challenge-digest", "A 401 that asks for Digest credentials is delivered with its body",
            reply: challenge(401, "WWW-Authenticate: Digest realm=\"a\", nonce=\"b\", qop=\"auth\""), is: .response(401)
        ),
        Case(
            "challenge-unknown", "A 401 with an unknown scheme is delivered with its body",
            reply: challenge(401, "WWW-Authenticate: Odd a=b"), is: .response(401)),
        Case(
            "challenge-missing", "A 401 without a challenge is delivered",
            reply: .message("HTTP/1.1 401 Who", "Content-Length: 5", body: "hello"), is: .response(401)),
        Case(
            "challenge-of-a-post", "A challenge to a request with a body is delivered, and the body sent once", posting,
            reply: challenge(401, "WWW-Authenticate: Basic realm=\"a\""), is: .response(401)),
        Case(
            "challenge-of-a-proxy", "A 407 from a server that is not a proxy is delivered",
            reply: challenge(407, "Proxy-Authenticate: Basic realm=\"a\""), is: .response(407)),
    ]
}
