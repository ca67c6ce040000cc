#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// Runs the commands that requests are printed as, and compares what arrives with what Errand sends.
    @Suite(
        "Requests as curl commands: run by a shell", .timeLimit(.minutes(60)), .paced,
        .enabled(
            if: TestProgram.areWanted && TestProgram.curl != nil && TestProgram(named: "sh") != nil,
            "ERRAND_PROGRAMS is not 1, or curl or sh is not installed"))
    struct CurlCommandProgramTests {
        struct Case: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let endpoint: FixtureText

            init(_ name: String, _ path: String, _ configure: (inout FixtureText) -> Void = { _ in }) {
                self.testDescription = name
                self.endpoint = FixtureText(path, configure)
            }
        }

        private static func post(
            _ name: String, _ body: RequestBody, _ configure: (inout FixtureText) -> Void = { _ in }
        ) -> Case {
            Case(name, "post") {
                $0.method = .post
                $0.body = body
                configure(&$0)
            }
        }

        private static let allBytes = Data((0..<2000).map { UInt8(truncatingIfNeeded: $0) })

        static let cases = [
            Case("a plain GET", "get"),
            Case("a query", "get?a=1") { $0.parameters = ["q": "it's [a] $(b) `c` \\ \" & é 👍", "n": nil] },
            Case("brackets and dots", "x/[1]/{a}".replacing("{a}", with: "%7Ba%7D")) { $0.parameters = ["a": [1]] },
            Case("a HEAD", "head") { $0.method = .head },
            Case("a DELETE", "delete") { $0.method = .delete },
            Case("another method", "purge") { $0.method = "PURGE" },
            Case("header fields", "get") {
                $0.headers = [
                    "X-Quote": "it's \"x\" \\ $HOME `id` !! %s", "X-Empty": "", "X-Two": "1", "x-two": "2",
                    "X-Tab": "a\tb", "Cookie": "a=b; c=d", "Authorization": "Basic dTpw", "Accept-Encoding": "identity",
                ]
            },
            Case("no header fields", "get") { $0.options = $0.options.defaultHeaders(DefaultHeaders.off) },
            Case("a POST without content", "post") { $0.method = .post },
            Case("a PUT without content", "put") { $0.method = .put },
            Case("a form", "post") {
                $0.method = .post
                $0.parameters = ["a b": "it's & [c]", "list": [1, 2], "password": "s3cret"]
            },
            post("JSON", .json(["a": ["it's", "\"\\", "é\u{1F44D}\n"]])),
            post("JSON with PATCH", .json(["a": 1])) { $0.method = .patch },
            post("text like a file", .text("@/etc/hostname")),
            post("text with lines", .text("a\nb\r\n\tc\n\n")),
            post("an empty body", .bytes(Data())),
            post("all bytes", .bytes(allBytes)),
            post("bytes after zeros", .bytes(Data("\0001\0%s%d%%\\n'\"".utf8))),
            post("a large text", .text(String(repeating: "a'b%", count: 50_000))),
            Case("DELETE with a body", "delete") {
                $0.method = .delete
                $0.body = .text("x")
            },
        ]

        private func run(_ command: String) async throws -> ProgramResult {
            let shell = try #require(TestProgram(named: "sh"))
            // What is not about the request: no configuration file, no progress, an end.
            let quiet = command.replacing("curl ", with: "curl -q -sS --max-time 30 ", maxReplacements: 1)
            // From a file: a word that a program is started with is bounded, other than what a shell reads.
            let script = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString).sh")
            defer { try? FileManager.default.removeItem(at: script) }
            try Data(quiet.utf8).write(to: script)
            return try await shell.run([script.path])
        }

        @Test(arguments: cases)
        func `what arrives is what Errand sends`(row: Case) async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("ok") }])
            let client = Client(baseURL: server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            }
            let command = try client.httpRequest(for: row.endpoint).curlCommand(showingSecrets: true)
            _ = try await client.send(row.endpoint)
            let result = try await self.run(command)
            #expect(result.status == 0, "\(result.complaint)\n\(command)")
            #expect(server.received.count == 2)
            let (sent, printed) = (server.received[0], try #require(server.received.last))
            #expect(printed.method == sent.method)
            #expect(printed.target == sent.target)
            #expect(printed.body == sent.body)
            #expect(self.lines(printed) == self.lines(sent))
            server.stop()
            await client.shutdown()
        }

        /// The fields, but for the codings: curl and libcurl may be of different builds.
        private func lines(_ request: LoopbackRequest) -> [String] {
            request.headers.filter { $0.name.lowercased() != "accept-encoding" || $0.value == "identity" }
                .map { "\($0.name): \($0.value)" }.sorted()
        }

        @Test func `a file is read by the program`() async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("ok") }])
            let file = FileManager.default.temporaryDirectory.appending(path: "errand it's \(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            try Self.allBytes.write(to: file)
            let client = Client(baseURL: server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            }
            let endpoint = FixtureText("put") {
                $0.method = .put
                $0.body = .file(file)
            }
            let result = try await self.run(try client.httpRequest(for: endpoint).curlCommand())
            #expect(result.status == 0, "\(result.complaint)")
            #expect(server.received.map(\.method) == ["PUT"])
            #expect(server.received.first?.body == Self.allBytes)
            #expect(server.received.first?.header("Content-Type") == "application/octet-stream")
            server.stop()
        }

        @Test func `a file that is sent with gzip is packed by the shell`() async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("ok") }])
            let folder = try FixtureFolder()
            let file = try folder.file("it's.bin", Self.allBytes)
            let client = Client(baseURL: server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            }
            let endpoint = FixtureText("put") {
                $0.method = .put
                $0.body = .file(file).gzipped().throttled(bytesPerSecond: 1_000_000)
            }
            let result = try await self.run(try client.curlCommand(for: endpoint))
            #expect(result.status == 0, "\(result.complaint)")
            let sent = try #require(server.received.first)
            #expect(sent.header("Content-Encoding") == "gzip")
            #expect(sent.body.starts(with: [0x1F, 0x8B]))
            let packed = try folder.file("sent.gz", sent.body)
            let shell = try #require(TestProgram(named: "sh"))
            let compared = try await shell.run(["-c", "gzip -dc \"$1\" | cmp - \"$2\"", "sh", packed.path, file.path])
            #expect(compared.status == 0, "\(compared.complaint)")
            server.stop()
            await client.shutdown()
        }

        @Test func `files of a form are read by the shell`() async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("ok") }])
            let folder = try FixtureFolder()
            let file = try folder.file("it's.bin", Self.allBytes)
            var form = MultipartForm(["a": "it's é"], boundary: "b")
            form.append("f", file: file)
            form.append("s", stream: BodyStream { { nil } }, length: 6)
            let endpoint = FixtureText("post") { [form] in
                $0.method = .post
                $0.body = .multipart(form)
            }
            let request = try Client(baseURL: server.baseURL).httpRequest(for: endpoint)
            let result = try await self.run("echo hello | " + request.curlCommand(showingSecrets: true))
            #expect(result.status == 0, "\(result.complaint)")
            form = MultipartForm(["a": "it's é"], boundary: "b")
            form.append("f", file: file)
            form.append(
                headers: ["Content-Disposition": "form-data; name=\"s\""], .bytes(Data("hello\n".utf8)))
            let expected = try await FixtureBody.content(of: .multipart(form))
            #expect(server.received.first?.body == expected)
            #expect(server.received.first?.header("Content-Type") == "multipart/form-data; boundary=b")
            server.stop()
        }

        @Test func `a stream is read from the standard input`() async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("ok") }])
            let request = HTTPRequest(
                method: .post, url: try HTTPURL(server.baseURL), body: .stream(BodyStream { { nil } }, length: nil))
            let result = try await self.run("echo hello | " + request.curlCommand())
            #expect(result.status == 0, "\(result.complaint)")
            #expect(server.received.first?.body == Data("hello\n".utf8))
            server.stop()
        }
    }
#endif
