#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// Each form is read by Werkzeug, python-multipart and Python's own `urllib` and `cgi`, behind Werkzeug's server.
    @Suite(
        "Forms, read by parsers of others", .timeLimit(.minutes(60)), .paced,
        .enabled(PythonScripts.comment) { await PythonScripts.canParse() })
    struct FormParserTests {
        /// Sends a form and checks that every parser reads these pairs, in this order.
        private func check(
            _ parameters: Parameters, _ expected: [(String, String)], _ server: PythonServer, _ hint: String = "",
            style: ParameterEncoding.QueryStyle = .standard
        ) async throws {
            let client = Client(baseURL: server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            }
            let answer = try await client.send(ParserCall(parameters, style))
            await client.shutdown()
            #expect(answer.contentType == "application/x-www-form-urlencoded")
            #expect(answer.contentLength == String(answer.size))
            let readings = try #require(answer.form)
            #expect(readings.count >= 2)
            for (parser, reading) in readings {
                // Byte by byte: texts that look alike are not the same.
                let read = reading.content?.map { $0.map { Array($0.utf8) } }
                let problem = reading.problem ?? "\(reading.content?.description.prefix(500) ?? "")"
                #expect(read == expected.map { [Array($0.utf8), Array($1.utf8)] }, "\(parser) \(hint) \(problem)")
            }
        }

        private static let texts = [
            "", " ", "a", "a b", "a+b", "a&b=c", "=", "100%", "%22", "a\"b'c", "\r\n", "\n", "\r", "\u{0}\u{1B}\u{7F}",
            "😀", "👩‍👩‍👧 ü",
            "e\u{301}", "é", "日本語", "a;b", "[a]", "a[b][]", "~-._*", "/?#:@!$,()", "\\", "\u{85}\u{2028}", "\u{FFFD}",
            "\u{10FFFF}",
        ]

        @Test(arguments: [ParameterEncoding.QueryStyle.Spaces.percentEncoded, .plus])
        func `names and values are read to the byte`(spaces: ParameterEncoding.QueryStyle.Spaces) async throws {
            let server = try await PythonScripts.parsers()
            let values =
                Self.texts + [
                    String(repeating: "64 KiB 😀\r\n", count: 6000), String(repeating: "&", count: 64 << 10),
                    String(repeating: "x", count: 64 << 10),
                ]
            let style = ParameterEncoding.QueryStyle(order: .given, spaces: spaces)
            let named = values.enumerated().map { ("v\($0)", $1) }
            try await self.check(Parameters(named.map { ($0, .string($1)) }), named, server, style: style)
            let names = Self.texts.map { ($0, "of \($0)") }
            try await self.check(Parameters(names.map { ($0, .string($1)) }), names, server, style: style)
        }

        @Test func `a tree is read under the names that its style gives`() async throws {
            let server = try await PythonScripts.parsers()
            let parameters: Parameters = [
                "user": ["name": "Ä", "tags": ["x", "y z"], "ids": .set([2, 1])], "none": nil, "yes": true, "no": false,
                "n": 1.5, "empty": [],
            ]
            try await self.check(
                parameters,
                [
                    ("n", "1.5"), ("no", "0"), ("none", ""), ("user[ids]", "1"), ("user[ids]", "2"),
                    ("user[name]", "Ä"),
                    ("user[tags][]", "x"), ("user[tags][]", "y z"), ("yes", "1"),
                ], server)
            try await self.check(
                parameters,
                [
                    ("user[name]", "Ä"), ("user[tags][0]", "x"), ("user[tags][1]", "y z"), ("user[ids]", "1"),
                    ("user[ids]", "2"), ("none", ""), ("yes", "true"), ("no", "false"), ("n", "1.5"),
                ], server,
                style: ParameterEncoding.QueryStyle(arrays: .indices, booleans: .words, order: .given, spaces: .plus))
            try await self.check(
                ["tags": ["x", "y"]], [("tags", "x,y")], server, style: ParameterEncoding.QueryStyle(arrays: .commas))
        }

        @Test func `any form is read as it was sent`() async throws {
            let server = try await PythonScripts.parsers()
            for seed in UInt64(1)...60 {
                var random = SplitMix64(seed: seed)
                func text() -> String {
                    (0..<random.next(below: 5)).map { _ in Self.texts[random.next(below: Self.texts.count)] }.joined()
                }
                let pairs = (0...random.next(below: 12)).map { _ in (text(), text()) }
                let style = ParameterEncoding.QueryStyle(
                    order: .given, spaces: random.next(below: 2) == 0 ? .plus : .percentEncoded)
                try await self.check(
                    Parameters(pairs.map { ($0, .string($1)) }), pairs, server, "seed \(seed)", style: style)
            }
        }
    }
#endif
