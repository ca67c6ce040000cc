internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Errors: what the server said", .timeLimit(.minutes(60)), .paced)
struct ErrorBodyTests {
    private struct Problem: Decodable, Sendable, Equatable {
        let message: String
        var at: Date?
    }

    private func error(
        _ reply: StubReply, _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) async throws -> ErrandError {
        let world = FixtureWorld(configure)
        world.transport.route("a", reply)
        return try #require(await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) })
    }

    @Test func `is decoded from the body`() async throws {
        let error = try await self.error(.json(#"{"message":"no","at":10}"#, status: 422))
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let problem = try error.decode(Problem.self, using: decoder)
        #expect(problem == Problem(message: "no", at: Date(timeIntervalSince1970: 10)))
        #expect(try error.decode(JSONValue.self)["message"] == "no")
    }

    @Test func `may be nothing, or nothing of that type`() async throws {
        let text = try await self.error(.text("no", status: 500))
        let typeProblem = #expect(throws: ErrandError.self) { try text.decode(Problem.self) }
        #expect(typeProblem?.code == .decodingFailed)
        let none = #expect(throws: ErrandError.self) { try ErrandError(.cancelled, "x").decode(Problem.self) }
        #expect(none?.message == "the error has no body to decode Problem from")
    }

    @Test func `may be too long to be kept`() async throws {
        let text = String(repeating: "x", count: ErrandError.Context.bodyLimit)
        let error = try await self.error(.json(#"{"message":"\#(text)"}"#, status: 500))
        let problem = #expect(throws: ErrandError.self) { try error.decode(Problem.self) }
        #expect(problem?.message.hasPrefix("only 16384 bytes of the body were kept: ") == true)
    }

    @Test func `comes with its header fields, but for cookies and secrets`() async throws {
        let headers: HTTPFields = [
            "Content-Type": "text/plain", "Retry-After": "3", "Set-Cookie": "a=hunter2", "set-cookie": "b=hunter2",
            "X-Token": "hunter2",
        ]
        let error = try await self.error(.data(Data(), status: 503, headers: headers)) {
            $0.credentials.secretHeaders = ["x-token"]
        }
        #expect(error.context.headers == ["Content-Type": "text/plain", "Retry-After": "3"])
        #expect(!"\(error) \(error.context)".contains("hunter2"))
    }

    @Test(
        arguments: [
            ("Set-Cookie2", "a=hunter2", nil), ("X-Auth-Token", "hunter2", nil),
            ("Authorization", "Basic hunter2", nil),
            ("Proxy-Authorization", "hunter2", nil), ("X-Session-Id", "hunter2", nil),
            ("X-Auth-Code", "hunter2", nil), ("WWW-Authenticate", "Basic realm=x", "Basic realm=x"),
            ("X-Error-Code", "7", "7"), ("ETag", "\"1\"", "\"1\""),
            ("Location", "https://ann:hunter2@a.test/b?x=1&token=hunter2#hunter2", "https://a.test/b?x=1&token=***"),
            ("location", "/b?sig=hunter2", "/b?sig=***"), ("Location", "//u:hunter2@a.test", "//a.test"),
            ("Location", "b/c//u@d?x=1", "b/c//u@d?x=1"), ("Location", "?", "?"),
            ("Content-Location", "b?&\u{301}x&pwd=hunter2", "b?&\u{301}x&pwd=***"), ("Location", "", ""),
        ] as [(String, String, String?)])
    func `keep no secrets in header fields`(name: String, value: String, shown: String?) async throws {
        let error = try await self.error(.data(Data(), status: 503, headers: [name: value]))
        #expect(error.context.headers?[name] == shown)
        #expect(!"\(error.context)".contains("hunter2"))
    }

    // MARK: - Printed

    private static let answered = "unacceptableStatus: the server answered 500 Internal Server Error"
    private static let request = " [GET https://api.test/a]"

    @Test(
        arguments: [
            (.json(#"{"error": "no disk",\#n  "code": 42}"#, status: 500), #": {"error": "no disk", "code": 42}"#),
            (
                .data(
                    Data(#"{"title":"Full"}"#.utf8), status: 500,
                    headers: ["Content-Type": "application/problem+json; charset=utf-8"]), #": {"title":"Full"}"#
            ),
            (.text("no\r\ndisk\u{202E}!\u{2028}", status: 500), ": no disk !"),
            (
                .json(#"{"why":"x","access_token":"hunter2","a":["password"]}"#, status: 500),
                #": {"why":"x","access_token":"***","a":["password"]}"#
            ),
            (.json(#"{"why":"see https://ann:hunter2@a.test/?token=hunter2"}"#, status: 500), #": {"why":"***"}"#),
            (.text("token=hunter2 is wrong", status: 500), ": token=*** is wrong"),
            (.json("no JSON: hunter2", status: 500), ": ***"),
            (.json("", status: 500), ""), (.text(" \n", status: 500), ""), (.status(500), ""),
            (.data(Data([0xFF, 0x61]), status: 500, headers: ["Content-Type": "text/plain"]), ""),
            (.data(Data("<p>hunter2</p>".utf8), status: 500, headers: ["Content-Type": "text/html"]), ""),
            (.data(Data("{}".utf8), status: 500), ""),
        ] as [(StubReply, String)])
    func `a printed error says what the server said, without secrets`(reply: StubReply, said: String) async throws {
        let error = try await self.error(reply)
        #expect("\(error)" == Self.answered + said + Self.request)
        #expect(error.message == "the server answered 500 Internal Server Error")
    }

    @Test(arguments: ["x", "é", "😀"])
    func `a printed error says no more than the beginning`(letter: String) async throws {
        for text in [String(repeating: letter, count: 5000), "x" + String(repeating: letter, count: 5000)] {
            let error = try await self.error(.text(text, status: 500))
            let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(200)))
            #expect("\(error)" == "\(Self.answered): \(shown)…\(Self.request)")
            let json = try await self.error(.json(#"{"token":"\#(text)"}"#, status: 500))
            #expect("\(json)" == Self.answered + #": {"token":"***""# + Self.request)
        }
    }

    @Test func `a printed error about a response that was no refusal has none of its content`() async throws {
        self.world.transport.route("a", .json(#"{"name":"Ann Example"}"#))
        let error = await #expect(throws: ErrandError.self) {
            try await self.world.client.send(FixtureJSON("a", [Int].self))
        }
        #expect(error?.code == .decodingFailed)
        #expect(error.map { "\($0)" }?.contains("Example") == false)
    }

    private let world = FixtureWorld()

    @Test func `keep the first cause that they are given`() {
        let (first, second) = (ErrandError(.timedOut, "1"), ErrandError(.cancelled, "2"))
        let error = ErrandError(.unacceptableStatus, "no").caused(by: nil).caused(by: first).caused(by: second)
        #expect((error.cause as? ErrandError)?.code == .timedOut)
        #expect(error.message == "no")
    }
}
