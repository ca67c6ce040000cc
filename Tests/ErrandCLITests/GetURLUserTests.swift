internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite("errand get: user and password in a URL", .timeLimit(.minutes(60)), .paced)
struct GetURLUserTests {
    private let harness = ProgramHarness()

    @Test(arguments: [[], ["--json"]])
    func `are sent as a credential, and in no line`(options: [String]) async throws {
        // That of `ann` and `hunter2`.
        let server = try LoopbackServer(routes: [
            LoopbackRoute("*", "/*") { request in
                .text(
                    request.headers.values(of: "Authorization") == ["Basic YW5uOmh1bnRlcjI="] ? "in" : "out: who is it?"
                )
            }
        ])
        let url = server.baseURL.replacing("http://", with: "http://ann:hunter2@")
        let gone = "http://ann:hunter2@127.0.0.1:1/"
        #expect(await self.harness.program.run(["get", url + "a", url + "b", gone] + options) == 1)
        let text = self.harness.output.text + self.harness.errors.text
        #expect(!text.contains("hunter2"))
        #expect(text.contains(server.baseURL + "a") && text.contains(server.baseURL + "b"))
        #expect(text.contains(options.isEmpty ? "200          2 B" : "\"status\":200,\"bytes\":2,"))
    }

    @Test func `are hidden in a command for curl, unless secrets are asked for`() async {
        let url = "http://ann:hunter2@a.test/"
        #expect(await self.harness.program.run(["get", "--curl", url]) == 0)
        #expect(!self.harness.output.text.contains("hunter2") && !self.harness.output.text.contains("YW5u"))
        #expect(self.harness.output.text.contains("'Authorization: Basic ***'"))
        #expect(await self.harness.program.run(["get", "--curl", "--show-secrets", url]) == 0)
        #expect(self.harness.output.text.contains("'Authorization: Basic YW5uOmh1bnRlcjI='"))
    }
}
