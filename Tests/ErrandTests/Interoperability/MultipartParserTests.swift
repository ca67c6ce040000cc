#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// Each form is read by Werkzeug, python-multipart and Python's own `email` and `cgi`, behind Werkzeug's server.
    @Suite(
        "Forms of several parts, read by parsers of others", .timeLimit(.minutes(60)), .paced,
        .enabled(PythonScripts.comment) { await PythonScripts.canParse() })
    struct MultipartParserTests {
        private let folder: FixtureFolder

        init() throws {
            self.folder = try FixtureFolder()
        }

        /// Sends a form and checks that every parser reads these parts, in this order.
        @discardableResult private func check(
            _ parts: [SentPart], _ server: PythonServer, _ hint: String = "", boundary: String? = nil
        ) async throws -> ParserAnswer {
            let form = try MultipartForm(parts, in: self.folder, boundary: boundary)
            return try await self.check(form, parts.map(\.read), server, hint)
        }

        @discardableResult private func check(
            _ form: MultipartForm, _ expected: [ParserAnswer.Part], _ server: PythonServer, _ hint: String = "",
            gzipped: Bool = false
        ) async throws -> ParserAnswer {
            let client = Client(baseURL: server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            }
            let body = RequestBody.multipart(form)
            let answer = try await client.send(ParserCall(gzipped ? body.gzipped() : body))
            await client.shutdown()
            let readings = try #require(answer.multipart)
            #expect(readings.count >= 3)
            for (parser, reading) in readings {
                #expect(reading.content == expected, "\(parser) \(hint) \(reading.problem ?? "")")
            }
            return answer
        }

        // MARK: - Names and values

        @Test func `names are read as the HTML standard escapes them`() async throws {
            let server = try await PythonScripts.parsers()
            let names = [
                "name", "", "a\"b", "\"", "a\r\nb", "\n", "a\r", "a\r\nX-Evil: 1\r\n\r\n", "😀", "👩‍👩‍👧 ü", "e\u{301}",
                "日本語", "a b", " a ", "a;b=c", "a; filename=\"x\"", "a,b", "a=b", "a'b", "<a>", "user[name][]", "100%",
                "a%22b",
                "\u{0}\u{1B}\u{7F}", "\u{85}\u{2028}", "UTF-8''a", "=?utf-8?q?a?=", String(repeating: "n", count: 2000),
            ]
            #expect(SentPart.escaped("a\"b\r\n%\u{1B}") == "a%22b%0D%0A%%1B")
            try await self.check(names.map { SentPart($0, "of \($0)") }, server)
            try await self.check(
                names.map { SentPart(.data, $0, $0, "text/plain", Data("of \($0)".utf8)) }, server)
        }

        @Test func `backslashes are sent as they are, of which parsers undo pairs`() async throws {
            // As browsers do; RFC 9110 §5.6.4 has a parser take the first of two away.
            let server = try await PythonScripts.parsers()
            try await self.check([SentPart("a\\b", "1"), SentPart("\\n", "2"), SentPart("last\\", "3")], server)
            var form = MultipartForm()
            form.append("a\\\\b", "1")
            try await self.check(form, [SentPart("a\\b", "1").read], server)
        }

        @Test func `values are read to the byte`() async throws {
            let server = try await PythonScripts.parsers()
            let values = [
                "", " ", "a", "\r\n", "\r", "\n", "\r\n\r\n", "a\r\nb\nc\rd", "\r\na", "a\r\n", "a\r", "a\n",
                "\"quoted\"", "😀 ü e\u{301}",
                "\u{0}", "--", "--boundar", "\r\n--", "\r\n--boundar", "%22",
                "a=b&c=d",
                "Content-Disposition: form-data; name=\"x\"\r\n\r\ny", String(repeating: "64 KiB 😀\r\n", count: 6000),
                String(repeating: "x", count: 64 << 10), String(repeating: "\r\n", count: 32 << 10),
            ]
            let parts = values.enumerated().map { SentPart("v\($0)", $1) }
            let answer = try await self.check(parts, server, boundary: "boundary")
            #expect(answer.transferEncoding == nil)
            #expect(answer.contentLength == String(answer.size))
        }

        @Test func `one name may stand for many values, in their order`() async throws {
            let server = try await PythonScripts.parsers()
            try await self.check(["1", "", "3", "1"].map { SentPart("a", $0) }, server)
        }

        @Test func `parameters come first, under the names of a query`() async throws {
            let server = try await PythonScripts.parsers()
            var form = MultipartForm([
                "user": ["name": "Ä \"B\"", "tags": ["a", "b"], "isNew": true], "none": nil, "empty": "", "n": 1.5,
            ])
            form.append("last", "x")
            let expected = [
                ("empty", ""), ("n", "1.5"), ("none", ""), ("user[isNew]", "1"), ("user[name]", "Ä \"B\""),
                ("user[tags][]", "a"), ("user[tags][]", "b"), ("last", "x"),
            ]
            try await self.check(form, expected.map { SentPart($0, $1).read }, server)
        }

        // MARK: - Files and streams

        @Test func `files are read with their names, types and bytes`() async throws {
            let server = try await PythonScripts.parsers()
            let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 8) })
            let parts = [
                SentPart(.file, "f", "photo \"1\" 😀.png", "image/png", bytes),
                SentPart(.file, "f", "empty.txt", "text/plain", Data()),
                SentPart(.data, "f", "data.json", "application/json", Data("{}".utf8)),
                SentPart(.data, "f", "", "application/octet-stream", Data("\r\n".utf8)),
                SentPart(.data, "no name", nil, "application/octet-stream", bytes.prefix(2000)),
                SentPart(.streamOfLength, "s", "s.bin", "application/octet-stream", bytes), SentPart("between", "x"),
                SentPart(.file, "f", "last", "application/octet-stream", bytes),
            ]
            let answer = try await self.check(parts, server)
            #expect(answer.transferEncoding == nil)
            #expect(answer.contentLength == String(answer.size))
        }

        @Test func `a file has its own name, and the type of its extension`() async throws {
            let server = try await PythonScripts.parsers()
            var form = MultipartForm()
            form.append("a", file: try self.folder.file("ü 1.pdf", Data("pdf".utf8)))
            form.append("b", file: try self.folder.file("unknown.errand", Data("?".utf8)))
            let expected = [
                ("a", "ü 1.pdf", "application/pdf", "pdf"), ("b", "unknown.errand", "application/octet-stream", "?"),
            ]
            .map { ParserAnswer.Part(name: $0, filename: $1, contentType: $2, content: Data($3.utf8)) }
            try await self.check(form, expected, server)
        }

        @Test func `a stream without a length is sent in chunks`() async throws {
            let server = try await PythonScripts.parsers()
            let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
            let parts = [
                SentPart("before", "1"), SentPart(.stream, "s", "s", "text/plain", bytes),
                SentPart(.stream, "empty", nil, "text/plain", Data()), SentPart("after", "2"),
            ]
            let answer = try await self.check(parts, server)
            #expect(answer.transferEncoding == "chunked")
            #expect(answer.contentLength == nil)
        }

        @Test func `a compressed form is the same one`() async throws {
            let server = try await PythonScripts.parsers()
            let parts = [
                SentPart("text", String(repeating: "text ", count: 20_000)),
                SentPart(.file, "f", "zeros", "application/octet-stream", Data(count: 300_000)),
            ]
            let answer = try await self.check(
                try MultipartForm(parts, in: self.folder), parts.map(\.read), server, gzipped: true)
            #expect(answer.size < 10_000)
        }

        // MARK: - Any form

        @Test func `any form is read as it was sent`() async throws {
            let server = try await PythonScripts.parsers()
            // Among them the boundary with all that needs quotes.
            let boundaries = ["bb", "errand-boundary", "'()+_,-./:=?", String(repeating: "7", count: 70)]
            for seed in UInt64(1)...60 {
                var random = SplitMix64(seed: seed)
                let boundary = boundaries[random.next(below: boundaries.count)]
                let parts = (0...random.next(below: 6)).map { _ in SentPart.random(boundary: boundary, &random) }
                let answer = try await self.check(parts, server, "seed \(seed)", boundary: boundary)
                let isChunked = parts.contains { $0.kind == .stream }
                #expect((answer.transferEncoding == "chunked") == isChunked, "seed \(seed)")
                #expect(answer.contentLength == (isChunked ? nil : String(answer.size)), "seed \(seed)")
            }
        }
    }
#endif
