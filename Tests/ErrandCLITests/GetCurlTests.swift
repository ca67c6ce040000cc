internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

/// Commands that are printed in place of requests.
@Suite(.timeLimit(.minutes(60)), .paced)
struct GetCurlTests {
    private let server: LoopbackServer
    private let harness = ProgramHarness()

    init() throws {
        self.server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("ok") }])
    }

    private func command(_ arguments: String...) async -> String {
        #expect(await self.harness.program.run(["get", "--curl"] + arguments) == 0)
        #expect(self.harness.errors.text.isEmpty)
        return self.harness.output.text
    }

    @Test func `a command for each URL, in order, and nothing is sent`() async {
        let text = await self.command(
            self.server.baseURL + "a", self.server.baseURL + "b?c=d", "--header", "Accept: text/plain", "--query",
            "e=f g")
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("curl '\(self.server.baseURL)a?e=f%20g' --header 'Accept: text/plain' "))
        #expect(lines[1].hasPrefix("curl '\(self.server.baseURL)b?c=d&e=f%20g' --header 'Accept: text/plain' "))
        #expect(self.server.connectionsAccepted == 0)
    }

    @Test func `secrets are hidden`() async {
        let text = await self.command(
            "http://a.test/", "--basic", "ann:s3cret", "--query", "token=s3cret", "--header", "X-Api-Key: s3cret",
            "--form", "password=s3cret", "--form", "user=ann")
        #expect(!text.contains("s3cret"))
        #expect(text.contains("'http://a.test/?token=***'"))
        #expect(text.contains("'Authorization: Basic ***'"))
        #expect(text.contains("'X-Api-Key: ***'"))
        #expect(text.contains("--data-raw 'password=***&user=ann'"))
    }

    @Test func `secrets are shown when they are asked for`() async {
        let text = await self.command(
            "http://a.test/", "--basic", "u:p", "--query", "token=s3cret", "--json-body", #"{"password": "s3cret"}"#,
            "--show-secrets")
        #expect(text.contains("'http://a.test/?token=s3cret'"))
        #expect(text.contains("'Authorization: Basic dTpw'"))
        #expect(text.contains(#"--data-raw '{"password": "s3cret"}'"#))
    }

    @Test func `files of a form are read by the command, and hidden with the rest of it`() async throws {
        let folder = try TestFolder()
        let file = folder.file("a.txt")
        try Data("s3cret".utf8).write(to: file)
        let arguments = ["http://a.test/", "--file", "f=@\(file.path)"]
        let hidden = await self.command(arguments[0], arguments[1], arguments[2])
        #expect(hidden.hasSuffix("--data-raw '***'\n"))
        let harness = ProgramHarness()
        #expect(await harness.program.run(["get", "--curl", "--show-secrets"] + arguments) == 0)
        #expect(harness.output.text.contains("; cat \(file.path); printf '"))
        #expect(harness.output.text.hasSuffix("--data-binary @-\n"))
    }
}

#if os(Linux) || os(macOS)
    /// Runs the commands that are printed, and compares what arrives with what `errand get` sends.
    @Suite(
        .timeLimit(.minutes(60)), .paced,
        .enabled(
            if: TestProgram.areWanted && TestProgram.curl != nil && TestProgram(named: "sh") != nil,
            "ERRAND_PROGRAMS is not 1, or curl or sh is not installed"))
    struct GetCurlCommandProgramTests {
        @Test(arguments: [
            [], ["--query", "a=b c&d"], ["--method", "HEAD"], ["--method", "PURGE", "--header", "X-A: it's"],
            ["--form", "a=it's", "--form", "b=\n"], ["--json-body", #"{"a": "it's \u00e9"}"#, "--method", "PUT"],
            ["--file", "f=@FILE", "--form", "a b=it's", "--file", "f=@FILE"], ["--basic", "u:p@ss:w'rd"],
        ])
        func `what arrives is what errand get sends`(_ arguments: [String]) async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("ok") }])
            let folder = try TestFolder()
            let file = folder.file("it's.bin")
            try Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) }).write(to: file)
            let arguments = ["get", server.baseURL + "x"] + arguments.map { $0.replacing("FILE", with: file.path) }

            let printing = ProgramHarness()
            #expect(await printing.program.run(arguments + ["--curl", "--show-secrets"]) == 0)
            let script = folder.file("script.sh")
            try Data(printing.output.text.replacing("curl ", with: "curl -q -sS --max-time 30 ").utf8).write(to: script)
            let result = try await #require(TestProgram(named: "sh")).run([script.path])
            #expect(result.status == 0, "\(result.complaint)\n\(printing.output.text)")
            #expect(await ProgramHarness().program.run(arguments) == 0)

            #expect(server.received.count == 2)
            let (printed, sent) = (try #require(server.received.first), try #require(server.received.last))
            #expect(printed.method == sent.method)
            #expect(printed.target == sent.target)
            #expect(Self.withoutBoundary(printed) == Self.withoutBoundary(sent))
            #expect(Self.fields(printed) == Self.fields(sent))
            server.stop()
        }

        private static func boundary(_ request: LoopbackRequest) -> Substring {
            request.header("Content-Type")?.firstMatch(of: #/boundary=(.+)/#)?.1 ?? ""
        }

        /// The body; each form has a boundary of its own.
        private static func withoutBoundary(_ request: LoopbackRequest) -> Data {
            let boundary = Self.boundary(request)
            guard !boundary.isEmpty else { return request.body }
            let text = String(decoding: request.body, as: Unicode.ASCII.self)
            return Data(text.replacing(boundary, with: "boundary").utf8)
        }

        /// The fields, but for the codings: curl and libcurl may be of different builds.
        private static func fields(_ request: LoopbackRequest) -> [String] {
            let boundary = Self.boundary(request)
            return request.headers.filter { $0.name.lowercased() != "accept-encoding" }
                .map { "\($0.name): \(boundary.isEmpty ? $0.value : $0.value.replacing(boundary, with: "boundary"))" }
                .filter { boundary.isEmpty || !$0.hasPrefix("Content-Length") }.sorted()
        }
    }
#endif
