internal import Errand
internal import TestEffort
internal import Testing

@Suite("HTTPMethod and HTTPStatus", .timeLimit(.minutes(60)), .paced)
struct HTTPMethodTests {
    @Test(
        "knows which methods are safe and which may be repeated",
        arguments: [
            (HTTPMethod.get, "GET", true, true), (.head, "HEAD", true, true), (.options, "OPTIONS", true, true),
            (.query, "QUERY", true, true),
            (.trace, "TRACE", true, true), (.put, "PUT", false, true), (.delete, "DELETE", false, true),
            (.post, "POST", false, false), (.patch, "PATCH", false, false), ("PURGE", "PURGE", false, false),
            ("get", "get", false, false),
        ])
    func properties(method: HTTPMethod, name: String, isSafe: Bool, isIdempotent: Bool) {
        #expect(method.rawValue == name && method.description == name && method.isValid)
        #expect(method.isSafe == isSafe && method.isIdempotent == isIdempotent)
        #expect(method == HTTPMethod(rawValue: name))
    }

    @Test("refuses names that are not tokens", arguments: ["", "GET ", "A B", "GET\r\n", "É", "a/b", "a\u{0}"])
    func invalid(name: String) {
        #expect(!HTTPMethod(rawValue: name).isValid)
    }

    @Test(
        "sorts status codes into classes",
        arguments: [
            (100, HTTPStatus.Kind.informational), (199, .informational), (200, .successful), (299, .successful),
            (300, .redirection), (399, .redirection), (400, .clientError), (499, .clientError), (500, .serverError),
            (599, .serverError), (99, .invalid), (600, .invalid), (0, .invalid), (-1, .invalid), (.max, .invalid),
            (.min, .invalid),
        ])
    func kinds(code: Int, kind: HTTPStatus.Kind) {
        let status = HTTPStatus(code)
        #expect(status.kind == kind && status.code == code && status.rawValue == code)
    }

    @Test(
        "knows the registered reason phrases",
        arguments: [
            (HTTPStatus.ok, "OK", "200 OK"), (.notModified, "Not Modified", "304 Not Modified"),
            (.contentTooLarge, "Content Too Large", "413 Content Too Large"),
            (.tooManyRequests, "Too Many Requests", "429 Too Many Requests"), (599, "", "599"), (-7, "", "-7"),
        ])
    func reasons(status: HTTPStatus, phrase: String, description: String) {
        #expect(status.reasonPhrase == phrase && status.description == description)
    }
}
