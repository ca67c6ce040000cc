internal import Errand
internal import TestEffort
internal import Testing

/// As in an app that draws.
private struct Path {
    var points: [Double] = []
}

private struct NamedAlike: Endpoint {
    let id: String

    var path: Errand.Path { "shapes/\(self.id)" }
}

@Suite("Paths: beside another type of the name", .timeLimit(.minutes(60)), .paced)
struct PathNameTests {
    @Test func `an endpoint names the module`() throws {
        let request = try FixtureWorld().client.httpRequest(for: NamedAlike(id: "a/b"))
        #expect(request.url.path == "/shapes/a%2Fb")
        #expect(Path().points.isEmpty)
    }
}
