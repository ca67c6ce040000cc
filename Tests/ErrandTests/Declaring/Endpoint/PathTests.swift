internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Paths: values stay values", .timeLimit(.minutes(60)), .paced)
struct PathTests {
    private static let client = FixtureWorld { $0.baseURLs.main = "https://api.test/v1/" }.client

    private func url(_ path: EndpointPath) throws -> HTTPURL {
        try Self.client.httpRequest(for: PathCall(path: path)).url
    }

    private func problem(_ path: EndpointPath) -> ErrandError? {
        #expect(throws: ErrandError.self, "\(path)") { try self.url(path) }
    }

    // MARK: - A value in a path

    /// A place in a path where a value may stand, and the decoded segments that are to be sent around it.
    struct Place: Sendable, CustomTestStringConvertible {
        let before: [String]
        var prefix = ""
        var suffix = ""
        var after: [String] = []
        var query: String?
        let path: @Sendable (String) -> EndpointPath
        var testDescription: String { "\(self.path("VALUE"))" }

        func expected(_ value: String) -> [String] {
            self.before + [self.prefix + value + self.suffix] + self.after
        }

        /// Whether a segment with this value would be lost on the way, or lead elsewhere where slashes are decoded
        /// first.
        func refuses(_ value: String) -> Bool {
            let bytes = (self.prefix + value + self.suffix).utf8
            let parts = bytes.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            return bytes.isEmpty || parts.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        }
    }

    static let places = [
        Place(before: ["v1"]) { "\($0)" },
        Place(before: ["v1", "users"]) { "users/\($0)" },
        Place(before: ["v1", "users"], after: ["posts"]) { "users/\($0)/posts" },
        Place(before: ["v1", "users"], after: [""]) { "users/\($0)/" },
        Place(before: ["users"]) { "/users/\($0)" },
        Place(before: [], after: ["x"]) { "/\($0)/x" },
        Place(before: ["v1"], after: ["x"]) { "\($0)/x" },
        Place(before: ["v1"], suffix: ":start") { "\($0):start" },
        Place(before: ["v1"], prefix: "user-", suffix: ".json") { "user-\($0).json" },
        Place(before: ["v1", "a"], prefix: ".") { "a/.\($0)" },
        Place(before: ["v1", "a"], suffix: ".", after: ["b"]) { "a/\($0)./b" },
        Place(before: ["v1", "users"], query: "x=1") { "users/\($0)?x=1" },
        Place(before: ["v1", "users"]) { "users/\($0)#part" },
        Place(before: ["users"]) { "https://api.test/users/\($0)" },
        Place(before: ["users"]) { "//api.test/users/\($0)" },
    ]

    static let values = [
        "1", "Ann", "a b", "ä", "日本", "😀", "e\u{301}", "\u{301}", "/", "//", "/\u{301}", "../x", "..", ".", "", "...",
        "..;", "..;/", "a?x=1", "?", "a#f", "#", "%", "%2e%2e", "%2F", "a%zz", "\r\nX: 1", "\0", "\u{7F}", "a:b", ":",
        "://x", "http://evil.example/x", "https:", "//evil.example", "\\\\evil.example", "..\\x", "evil.example",
        "u:p@evil.example", "@evil.example", ":80", "[::1]", "a&b=c+d;e,f", "\"<>`{|}^'", "\u{202E}", "a/b/c",
    ]

    @Test(arguments: Self.places)
    func `a value is one segment of the path that is written, whatever is in it`(place: Place) throws {
        for value in Self.values { try self.check(place, value) }
    }

    @Test func `no value that is made by chance leads elsewhere`() throws {
        var random = SplitMix64(seed: 15)
        let letters = [
            "/", "..", ".", "%", "2e", "2F", "?", "#", ":", "@", "\\", " ", "a", "ö", "http", "//", ";", "&", "\0",
        ]
        for _ in 0..<TestEffort.rounds(of: 1000) {
            let value = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? ""
            }
            for place in Self.places { try self.check(place, value.joined()) }
        }
    }

    private func check(_ place: Place, _ value: String) throws {
        let path = place.path(value)
        guard !place.refuses(value) else {
            #expect(self.problem(path)?.code == .invalidURL)
            return
        }
        let url = try self.url(path)
        #expect(url.origin == "https://api.test", "\(value)")
        #expect(url.user == nil && url.query == place.query, "\(value)")
        let segments = url.path.dropFirst().utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let decoded = try segments.map { try #require(HTTPURL.percentDecode(String(decoding: $0, as: UTF8.self))) }
        // Byte by byte: texts that look alike are not the same.
        #expect(decoded.map { Array($0.utf8) } == place.expected(value).map { Array($0.utf8) }, "\(value)")
    }

    @Test(arguments: Self.values)
    func `a value in a query is one item`(value: String) throws {
        let url = try self.url("find?q=\(value)&z=1")
        #expect(url.path == "/v1/find")
        #expect(url.fragment == nil)
        let items = try #require(url.query).split(separator: "&", omittingEmptySubsequences: false)
        #expect(items.count == 2 && items.last == "z=1")
        let decoded = HTTPURL.percentDecode(String(items[0].dropFirst(2))).map { Array($0.utf8) }
        #expect(decoded == Array(value.utf8))
        #expect(try self.url("a#\(value)").path == "/v1/a")
    }

    @Test func `values are numbers, identifiers and all that describe themselves`() throws {
        let id = UUID()
        #expect(try self.url("\(1)/\(-2 as Int8)/\(1.5)/\(true)/\(id)").path == "/v1/1/-2/1.5/true/\(id)")
        #expect(try self.url("\("a b".dropFirst(1))\(Character("/"))").path == "/v1/%20b%2F")
        for isLong in [true, false] {
            #expect(try self.url("\(isLong ? "a/b" : "c")").path == (isLong ? "/v1/a%2Fb" : "/v1/c"))
        }
    }

    private enum Kind {
        case long
    }

    private protocol Warned {
        static func path(_ id: Int?, _ url: URL) -> EndpointPath
    }

    private enum Optionals: Warned {
        @available(*, deprecated)
        static func path(_ id: Int?, _ url: URL) -> EndpointPath { "users/\(id)x/\(url)" }
    }

    @Test func `a case is its name, and what a compiler warns of is safe`() throws {
        #expect(try self.url("\(Kind.long)/\([1])").path == "/v1/long/%5B1%5D")
        let (optionals, evil) = (Optionals.self as any Warned.Type, try #require(URL(string: "https://evil.example/")))
        #expect(try self.url(optionals.path(1, evil)).path == "/v1/users/1x/https%3A%2F%2Fevil.example%2F")
        let error = self.problem(optionals.path(nil, evil))
        #expect(error?.message.hasSuffix("is not a valid path for PathCall: a value is nil") == true)
    }

    // MARK: - What is refused

    @Test func `values that make a segment of dots, or leave one empty, together`() throws {
        let (dot, none) = (".", "")
        let refused: [EndpointPath] = [
            "\(dot)\(dot)", "a/\(dot)\(dot)/b", "\(none)\(none)", "a/\(none)\(none)/b", "a/%2e\(dot)", "a/\(dot)%2E",
            "a/\(dot)\(dot);v=1", "a/\(dot);\(dot)", "\(none)/a", "/\(none)/a", "/\(none)", "\(none)?a=1",
            "a/\(none)#b",
            "https://api.test/\(dot)\(dot)/a", "https://api.test/\(none)", "//api.test/a/\(none)/b",
            "/\(none)/api.test",
            "\(none)//api.test",
        ]
        for path in refused { #expect(self.problem(path)?.code == .invalidURL) }
        #expect(try self.url("a/\(none)b\(none)").path == "/v1/a/b")
        #expect(try self.url("a/\(dot)\(dot)\(dot)").path == "/v1/a/...")
    }

    @Test func `values that have dots between slashes, which some servers decode before they resolve dots`() throws {
        for value in ["../admin", "a/..", "a/../b", "./a", "..\\admin", "a\\..", "/.."] {
            for path: EndpointPath in ["users/\(value)", "users/\(value)/x", "\(value)?a=1"] {
                #expect(self.problem(path)?.code == .invalidURL)
            }
        }
        let dots = ".."
        for path: EndpointPath in [
            "a%2F\(dots)", "a%2f\(dots)%5C", "a%5c\(dots);v=1", "%2e%2e%2F\("a")", "\(".")/%2F\("a")",
        ] {
            #expect(self.problem(path)?.code == .invalidURL)
        }
        #expect(try self.url("users/\("a/b?c")").path == "/v1/users/a%2Fb%3Fc")
        #expect(try self.url("users/\("..a/b../...")").path == "/v1/users/..a%2Fb..%2F...")
        #expect(try self.url("..%2Fx/\("a")").path == "/v1/..%2Fx/a", "a literal is taken as it is")
    }

    @Test func `values that stand in a scheme or a host`() {
        let (host, scheme) = ("evil.example", "https")
        let refused: [EndpointPath] = [
            "https://\(host)/a", "https://\(host)", "//\(host)/a", "https://api.test\(".evil.example")/a",
            "https://api.test:\(80)/a", "https://\("u")@api.test/", "\(scheme)://api.test/a", "http\("s")://api.test/a",
            "https:\("")//api.test/a", "https:/\("")/api.test/a", "https://api.test\("")", "https:/\("")\(host)/a",
        ]
        for path in refused {
            let error = self.problem(path)
            #expect(error?.code == .invalidURL)
        }
    }

    @Test func `nothing is sent, and the error says what is wrong with which call, without the query`() async throws {
        let world = FixtureWorld(isRecording: true)
        world.transport.route("*", .text(""))
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(PathCall(path: "users/\("..")?token=s3cret"))
        }
        #expect(error?.code == .invalidURL)
        #expect(
            error?.message == "\"users/..\" is not a valid path for PathCall: a value makes a segment \".\" or \"..\"")
        #expect(error?.context.endpointName == "PathCall")
        #expect(world.transport.receivedCount == 0)
        #expect(world.recorder.entries.isEmpty)
        await world.expectAtRest()
    }

    // MARK: - Whole paths

    @Test(arguments: [
        ("a", "/v1/files/a"), ("a/b/c.txt", "/v1/files/a/b/c.txt"), ("a/", "/v1/files/a/"),
        ("ä b/%/?#", "/v1/files/%C3%A4%20b/%25/%3F%23"),
        ("http:", "/v1/files/http%3A"), ("...", "/v1/files/..."),
    ])
    func `a value of several segments keeps its slashes`(value: String, expected: String) throws {
        #expect(try self.url("files/\(path: value)").requestTarget == expected)
        #expect(try self.url("files/\(path: value[...])?x=\(1)").requestTarget == expected + "?x=1")
    }

    @Test(arguments: [
        "", "/", "/a", "//evil.example", "http://evil.example/x", "a//b", "..", "a/../b", "a/.", "./a", "a/..",
    ])
    func `a value of several segments has none that is empty or dots`(value: String) {
        for path: EndpointPath in ["files/\(path: value)", "\(path: value)", "/\(path: value)/b"] {
            #expect(self.problem(path)?.code == .invalidURL)
        }
    }

    @Test func `a slash at the end of a value is not followed by another`() {
        #expect(self.problem("files/\(path: "a/")/b")?.code == .invalidURL)
        #expect(self.problem("\(path: "a/")\("")b/\(path: "c/.")\(".")")?.code == .invalidURL)
    }

    @Test func `a path in another one is taken as it is`() throws {
        let (base, version) = ("users/\("a/b")" as EndpointPath, "/v2?x=1" as EndpointPath)
        #expect(try self.url("\(base)/posts/\("..x")").path == "/v1/users/a%2Fb/posts/..x")
        #expect(try self.url("\(version)&y=\("&")").requestTarget == "/v2?x=1&y=%26")
        #expect(try self.url("\("https://other.test/a" as EndpointPath)/b").string == "https://other.test/a/b")
        #expect(try self.url("\(EndpointPath.url("https://other.test"))/\("b")").string == "https://other.test/b")
        let refused: EndpointPath = "a/\("..")"
        for path: EndpointPath in ["\(refused)/b", "b/\(refused)", "\(refused)"] {
            #expect(self.problem(path)?.code == .invalidURL)
        }
    }

    @Test func `a path with values is no host and no scheme either`() {
        let name: EndpointPath = "\("evil.example")"
        for path: EndpointPath in [
            "//\(name)/a", "https://\(name)/a", "/\("/a" as EndpointPath)",
            "\("https://api.test" as EndpointPath).\(name)/a",
            "\("https://api.test" as EndpointPath)\("")", "\("https" as EndpointPath)://api.test",
        ] {
            #expect(self.problem(path)?.code == .invalidURL)
        }
    }

    // MARK: - Literals and URLs

    @Test(
        arguments: [
            ("T6", "http://www.example.com/a?b#c", "http://www.example.com/a?b#c"),
            ("T7", "https://www.example.com", "https://www.example.com/"),
            ("a query", "get?a=%41&b=/?", "https://api.test/v1/get?a=%41&b=/?"),
            ("another folder", "../get", "https://api.test/get"),
            ("the root", "/get", "https://api.test/get"),
            ("another host", "//other.test/get", "https://other.test/get"),
            ("nothing", "", "https://api.test/v1/"),
        ] as [(String, EndpointPath, String)])
    func `a literal is taken as it is`(id: String, path: EndpointPath, url: String) throws {
        #expect(try self.url(path).string == url)
    }

    @Test(arguments: ["a b", "ä", "%", "a:b", "mailto:a@b", "https://"] as [EndpointPath])
    func `a literal that is no reference is refused`(path: EndpointPath) {
        #expect(self.problem(path)?.code == .invalidURL)
    }

    @Test func `a whole URL goes where it says, and nothing else is one`() throws {
        let next = try #require(URL(string: "https://other.test/a?b=1"))
        #expect(try self.url(.url(next)).string == "https://other.test/a?b=1")
        #expect(try self.url(.url("https://other.test/a?b=1")).string == "https://other.test/a?b=1")
        let file = try #require(URL(string: "a", relativeTo: URL(filePath: "/tmp")))
        for path in [
            EndpointPath.url("a"), .url("/a"), .url("//other.test/a"), .url(""), .url("ftp://other.test"), .url(file),
        ] {
            #expect(self.problem(path)?.code == .invalidURL)
        }
    }

    @Test func `what is unchecked is a reference as it is`() throws {
        let text = "../a?b=\("c")"
        #expect(try self.url(EndpointPath(uncheckedReference: text)).string == "https://api.test/a?b=c")
        #expect(self.problem(EndpointPath(uncheckedReference: "a b"))?.code == .invalidURL)
    }

    @Test func `paths are equal if they go to the same place, and describe that`() {
        #expect(("users/\("a b")" as EndpointPath) == "users/a%20b")
        #expect("\("users/\("a b")" as EndpointPath)" as String == "users/a%20b")
        #expect(("a/\("..")" as EndpointPath) != "a/..")
        #expect(EndpointPath.url("a") != "a")
    }

    // MARK: - Filters

    @Test func `filters get a path and make one, whose values stay values`() throws {
        let world = FixtureWorld {
            $0.baseURLs.pathFilters = [
                PathFilter { path, _ in "de/\(path)" },
                PathFilter { path, endpoint in "\(path)/\("\(type(of: endpoint))/x")" },
            ]
        }
        let url = try world.client.httpRequest(for: PathCall(path: "a/\("b/c")")).url
        #expect(url.string == "https://api.test/de/a/b%2Fc/PathCall%2Fx")
        #expect(throws: ErrandError.self) { try world.client.httpRequest(for: PathCall(path: "a/\("..")")) }
    }

    @Test func `what is refused does not get to a filter, which could not tell, nor from one to the next`() throws {
        let filtered = FixtureLog()
        let washing = PathFilter { path, _ in
            filtered.add("\(path)")
            return EndpointPath(uncheckedReference: "v2/\(path)")
        }
        func error(_ path: EndpointPath, _ filters: [PathFilter]) -> ErrandError? {
            let world = FixtureWorld { $0.baseURLs.pathFilters = filters }
            return #expect(throws: ErrandError.self) { try world.client.httpRequest(for: PathCall(path: path)) }
        }
        for path: EndpointPath in ["users/\("..")/delete", "users/\("")/delete", "users/\("../x")"] {
            #expect(error(path, [washing])?.code == .invalidURL)
        }
        #expect(error("a", [PathFilter { path, _ in "\(path)/\("..")" }, washing])?.code == .invalidURL)
        #expect(filtered.lines.isEmpty)
    }
}

private struct PathCall: Endpoint {
    let path: EndpointPath
}
