internal import ErrandTesting
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

/// What stands for a URL.
@Suite(.timeLimit(.minutes(60)), .paced)
struct GetTargetTests {
    @Test(arguments: [
        ("localhost:8080/x", "http://localhost:8080/x"), ("localhost", "http://localhost/"),
        ("example.com/a?b=http://c/#d", "http://example.com/a?b=http://c/#d"),
        ("127.0.0.1:1?a", "http://127.0.0.1:1/?a"),
        ("[::1]:8080/x", "http://[::1]:8080/x"), ("[::1]", "http://[::1]/"), ("a:80", "http://a:80/"),
        ("u:p@localhost:8080/x", "http://u:p@localhost:8080/x"), ("ann@a:80", "http://ann@a:80/"),
        ("localhost:8080/a b", "http://localhost:8080/a b"), ("a:99999", "http://a:99999"),
    ])
    func `a host without a scheme is http`(text: String, url: String) {
        #expect(GetTargets.url(text) == url)
    }

    @Test(arguments: [
        "http://a/", "HTTPS://a/", "ftp://a/", "http:a", "https:example.com", "mailto:ann@a.test", "ann@a.test",
        "ann:pw@a.test", "", "/path", "//a/b", "?a", ":80/x", "a:/x", "a:b/x", "a b", "http://", "[::1",
    ])
    func `anything else is left as it is`(text: String) {
        #expect(GetTargets.url(text) == text)
    }

    @Test func `what is wrong with the rest is told, and not that the host is no scheme`() async {
        let harness = ProgramHarness()
        #expect(await harness.run("get", "localhost:8080/a b") == 2)
        #expect(harness.errors.text.contains("\"http://localhost:8080/a b\" is not a URL: "))
        #expect(!harness.errors.text.contains("scheme"))
    }

    @Test func `it is sent there`() async throws {
        let scene = try FileScene()
        let host = scene.server.baseURL.dropFirst("http://".count)
        #expect(await scene.harness.run("get", "\(host)x") == 0)
        #expect(scene.harness.output.text == "body of /x")
    }
}
