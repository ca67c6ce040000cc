internal import Errand
internal import Foundation

extension TransportConformance {
    /// Redirects are delivered and never followed, wherever they lead: the client follows them.
    static let redirectionCases: [Case] =
        [301, 302, 303, 307, 308].map { status in
            Case(
                "redirect-\(status)", "A \(status) is delivered with its body and not followed",
                reply: .message("HTTP/1.1 \(status) Move", "Location: /works", "Content-Length: 5", body: "hello"),
                is: .response(HTTPStatus(rawValue: status), fields: ["Location": "/works"]))
        }
        + [
            odd("ipv6", "//[::1]:80/x"), odd("encoded-host", "//a%20b/x"), odd("encoded-nul", "//%00/"),
            odd("file", "file:///etc/passwd"), odd("script", "javascript:alert(1)"), odd("empty", ""),
            odd("nowhere", "http://127.0.0.1:1/"), odd("no-reference", "http://[/ %zz"), odd("itself", "#x"),
            Case(
                "redirect-without-location", "A redirect without a Location is delivered with its body",
                reply: .message("HTTP/1.1 302 Found", "Content-Length: 5", body: "hello"), is: .response(302)),
            Case(
                "redirect-of-a-post", "The redirect of a request with a body is delivered, and the body sent once",
                ConformanceExchange(method: .post, body: .bytes(Data("content".utf8))),
                reply: .message("HTTP/1.1 307 Move", "Location: /works", "Content-Length: 5", body: "hello"),
                is: .response(307, fields: ["Location": "/works"])),
        ]

    private static func odd(_ name: String, _ location: String) -> Case {
        Case(
            "redirect-location-\(name)", "A Location of \"\(location)\" is delivered and harmless",
            reply: .message("HTTP/1.1 302 Found", "Location: \(location)", "Content-Length: 5", body: "hello"),
            is: .response(302, fields: ["Location": location]))
    }
}
