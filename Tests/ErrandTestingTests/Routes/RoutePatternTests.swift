internal import Errand
internal import TestEffort
internal import Testing

@testable internal import ErrandTesting

@Suite(.timeLimit(.minutes(60)), .paced)
struct RoutePatternTests {
    @Test(arguments: [
        ("/users", "https://api.test/users", true),
        ("users", "https://api.test/users?id=1", true),
        ("/users", "https://api.test/users/1", false),
        ("/users/*", "https://api.test/users/1/2?a", true),
        ("/users/*", "https://api.test/users", false),
        ("*", "https://api.test/", true),
        ("", "https://api.test/", true),
        ("", "https://api.test/a", false),
        ("/a%20b", "https://api.test/a%20b", true),
        ("/users?id=1", "https://api.test/users?id=1", true),
        ("/users?id=1", "https://api.test/users?id=2", false),
        ("/users?id=1", "https://api.test/users", false),
        ("/a*b", "https://api.test/a*b", true),
        ("/users?id=*", "https://api.test/users?id=2&x", true),
        ("https://api.test/users", "https://api.test/users?id=1", true),
        ("HTTPS://API.Test:443/users", "https://api.test/users", true),
        ("https://api.test/users", "http://api.test/users", false),
        ("https://api.test/users", "https://other.test/users", false),
        ("https://api.test:8443/users", "https://api.test/users", false),
        ("https://api.test/users/*", "https://api.test/users/7", true),
        ("https://api.test", "https://api.test/", true),
        ("https://api.test/*", "https://api.test/a/b?c", true),
        ("https://api.test/a?b=http://x/y", "https://api.test/a?b=http://x/y", true),
        ("/go?to=http://x/y", "https://api.test/go?to=http://x/y", true),
    ])
    func `is for the requests that its path or URL names`(pattern: String, url: String, isMatch: Bool) throws {
        let request = HTTPRequest(url: try HTTPURL(url))

        #expect(RoutePattern(pattern).matches(request) == isMatch)
        #expect(RoutePattern(pattern).problem == nil)
    }

    @Test(arguments: [
        ("ftp://api.test/a", "scheme"),
        ("https://", "host"),
        ("https://api.test*", "follow a path"),
        ("https://ann:secret@api.test/a", "user and password"),
        ("https://api.test/a#b", "fragment"),
        ("/a#b", "fragment"),
        ("/a b", "percent-encoded"),
        ("/users/{id}", "{ and }"),
        ("/users/{id}/*", "{ and }"),
        ("/users/*/posts", "at the end only"),
        ("https://api.test/users/*/posts/*", "at the end only"),
        ("/ä", "percent-encoded"),
        ("https://api.test/ä", "illegal character"),
    ])
    func `says why it can match nothing`(pattern: String, reason: String) throws {
        let problem = try #require(RoutePattern(pattern).problem)
        #expect(problem.contains(reason))
    }

    @Test(arguments: [
        ("/users", "users", true),
        ("https://api.test", "https://API.test:443/", true),
        ("/users", "https://api.test/users", false),
        ("/users", "/users*", false),
    ])
    func `is the same as another that is for the same requests`(one: String, other: String, isSame: Bool) {
        #expect((RoutePattern(one) == RoutePattern(other)) == isSame)
    }
}
