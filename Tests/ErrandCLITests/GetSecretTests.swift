internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite("errand get: what is not printed as it is (G14)", .timeLimit(.minutes(60)), .paced)
struct GetSecretTests {
    private static let query = "x=1&client_assertion=hunter2&ticket=hunter2&author=ann#access_token=hunter2"

    @Test(arguments: [[], ["--json"]])
    func `secrets of a query are in no line, unless they are asked for`(options: [String]) async throws {
        let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("in") }])
        let url = "\(server.baseURL)a?\(Self.query)"
        let harness = ProgramHarness()
        #expect(await harness.program.run(["get", url, url] + options) == 0)
        let text = harness.output.text + harness.errors.text
        #expect(!text.contains("hunter2"))
        #expect(text.contains("\(server.baseURL)a?x=1&client_assertion=***&ticket=***&author=ann"))
        let asked = ProgramHarness()
        #expect(await asked.program.run(["get", url, url, "--show-secrets"] + options) == 0)
        #expect(asked.output.text.contains("client_assertion=hunter2&ticket=hunter2&author=ann#access_token=hunter2"))
    }

    @Test func `what is no URL is printed without what may be secret in it`() {
        let shown = Redaction.standard.reference("gopher://ann:hunter2@a.test/b?token=hunter2#hunter2")
        #expect(shown == "gopher://a.test/b?token=***")
    }

    @Test func `JSON has nothing that a terminal acts on`() throws {
        let text = "\u{1B}[2J\u{9B}\u{202E}\u{2066}\u{200F}\u{FEFF}\u{E0001}\u{7F}\t\n\"\\é😀"
        let quoted = JSONLine.quoted(text)
        #expect(
            quoted == #""\u001b[2J\u009b\u202e\u2066\u200f\ufeff\udb40\udc01\u007f\u0009\n\"\\é😀""#)
        #expect(try JSONDecoder().decode(String.self, from: Data(quoted.utf8)) == text)
    }

    @Test(arguments: [true, false])
    func `the head of a response is escaped on a terminal, and nowhere else`(isTerminal: Bool) async throws {
        let value = "a\u{1B}]0;x\u{7}b\u{202E}c"
        let head = GetBody.text(
            of: HTTPResponse.Head(status: 200, headers: ["X-A": value, "Set-Cookie": "a=1"]), "HTTP/1.1",
            isShown: isTerminal)
        let shown = isTerminal ? "a\\u{1B}]0;x\\u{7}b\\u{202E}c" : value
        #expect(String(decoding: head, as: UTF8.self) == "HTTP/1.1 200 OK\r\nX-A: \(shown)\r\nSet-Cookie: a=1\r\n\r\n")
    }
}
