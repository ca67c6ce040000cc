internal import Errand
internal import Foundation

extension TransportConformance {
    /// The fields of a head, RFC 9112 §5 and RFC 9110 §5.
    static let fieldCases: [Case] = wellFormedFieldCases + oddFieldCases + brokenFieldCases

    private static let wellFormedFieldCases: [Case] = [
        Case(
            "field-without-space", "A colon needs no space after it",
            reply: .ok("X-A:1", "Content-Length:5"), is: .response(fields: ["X-A": "1"])),
        Case(
            "field-much-space", "Spaces and tabs around a value do not belong to it",
            reply: .ok("X-A: \t one  two \t ", "Content-Length:   5  "), is: .response(fields: ["X-A": "one  two"])),
        Case(
            "field-empty", "A value may be empty",
            reply: .ok("X-A:", "X-B: ", "Content-Length: 5"), is: .response(fields: ["X-A": "", "X-B": ""])),
        Case(
            "field-with-colons", "Only the first colon ends the name",
            reply: .ok("X-A: a:b: c", "Content-Length: 5"), is: .response(fields: ["X-A": "a:b: c"])),
        Case(
            "field-lower-case", "Names are case-insensitive, including those of framing fields",
            reply: .ok("x-lower: 1", "X-UPPER: 2", "content-length: 5"),
            is: .response(fields: ["X-Lower": "1", "x-upper": "2"])),
        Case(
            "field-set-cookie", "Repeated Set-Cookie fields are kept apart, whole and in order",
            reply: .ok(
                "Set-Cookie: a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/", "Content-Length: 5",
                "Set-Cookie: b=\"2, 3\"", "Set-Cookie: c=; Max-Age=0"),
            is: .response(where: "with three cookies in their order") {
                $0.headers.values(for: "Set-Cookie") == [
                    "a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/", "b=\"2, 3\"", "c=; Max-Age=0",
                ]
            }),
        Case(
            "field-set-cookie-any-case", "Repeated Set-Cookie fields with different letter case are kept apart",
            reply: .ok("Set-Cookie: a=1", "set-cookie: b=2", "Content-Length: 5"),
            is: .response(where: "with two cookies") { $0.headers.values(for: "Set-Cookie") == ["a=1", "b=2"] }),
        Case(
            "field-repeated", "Repeated fields are all delivered, joined or not",
            reply: .ok("X-A: 1", "X-B: 2", "x-a: 3", "Content-Length: 5"), is: .response(fields: ["X-A": "1, 3"])),
        Case(
            "field-repeated-apart", "Repeated fields are kept apart and in order", needs: .keepsFieldLines,
            reply: .ok("X-A: 1", "X-B: 2", "x-a: 3", "Content-Length: 5"),
            is: .response(where: "with X-A: 1 and x-a: 3") { $0.headers.values(for: "X-A") == ["1", "3"] }),
        Case(
            "field-order", "Fields keep their order and their letter case", needs: .keepsFieldLines,
            reply: .ok("Zebra: 1", "apple: 2", "Content-Length: 5", "mUSK: 3"),
            is: .response(where: "with Zebra, apple, Content-Length and mUSK") {
                $0.headers.map(\.name) == ["Zebra", "apple", "Content-Length", "mUSK"]
            }),
        Case(
            "field-long", "A value of 32 KiB is delivered",
            reply: .ok("X-A: \(String(repeating: "a", count: 32_768))", "Content-Length: 5"),
            is: .response(where: "with a field of 32 KiB") { $0.headers["X-A"]?.utf8.count == 32_768 }),
        Case(
            "field-two-hundred", "Two hundred fields are delivered",
            reply: .ok((0..<200).map { "X-\($0): \($0)" }.joined(separator: "\r\n"), "Content-Length: 5"),
            is: .response(where: "with 200 fields") { response in
                (0..<200).allSatisfy { response.headers["X-\($0)"] == "\($0)" }
            }),
    ]

    private static let oddFieldCases: [Case] = [
        Case(
            "field-folded", "A folded value is joined with spaces, or is an error",
            reply: .ok("X-A: one\r\n two\r\n\tthree", "X-B: 4", "Content-Length: 5"),
            is: ConformanceExpectation.response(where: "with X-A: one two three and X-B: 4") {
                let words = $0.headers["X-A"]?.split { $0 == " " || $0 == "\t" } ?? []
                return words == ["one", "two", "three"] && $0.headers["X-B"] == "4" && $0.data == Data("hello".utf8)
            }.or(.failure(.invalidResponse))),
        Case(
            "field-folded-first", "Space before the first field is an error, or the line is ignored",
            reply: .ok(" X-Evil: 1", "Content-Length: 5"), then: .close,
            is: ConformanceExpectation.response(where: "without X-Evil") { !$0.headers.contains("X-Evil") }
                .or(.failure(.invalidResponse))),
        Case(
            "field-latin-1", "Bytes beyond ASCII in a value are harmless, however they are decoded",
            reply: Data("HTTP/1.1 200 OK\r\nX-A: caf".utf8) + [0xE9]
                + Data("\r\nX-B: 2\r\nContent-Length: 5\r\n\r\nhello".utf8),
            is: .response(where: "with X-A: caf… and X-B: 2") {
                $0.headers["X-A"]?.hasPrefix("caf") == true && $0.headers["X-B"] == "2"
                    && $0.data == Data("hello".utf8)
            }),
        Case(
            "field-utf-8", "UTF-8 in a value is decoded as UTF-8 or as Latin-1, and is harmless",
            reply: .ok("X-A: café", "X-B: 2", "Content-Length: 5"),
            is: .response(fields: ["X-A": "café", "X-B": "2"]).or(.response(fields: ["X-A": "cafÃ©", "X-B": "2"]))),
        Case(
            "field-bare-carriage-return", "A bare carriage return begins no field: it is an error or part of the value",
            reply: .ok("X-A: a\rX-Evil: 1", "Content-Length: 5"), then: .close,
            is: ConformanceExpectation.response(where: "without X-Evil") { !$0.headers.contains("X-Evil") }
                .or(.failure(.invalidResponse))),
        Case(
            "field-line-feeds", "Lines that end with a bare line feed are accepted, or are an error",
            reply: Data("HTTP/1.1 200 OK\nX-A: 1\nContent-Length: 5\n\nhello".utf8), then: .close,
            is: .response(fields: ["X-A": "1"]).or(.failure(.invalidResponse))),
    ]

    private static let brokenFieldCases: [Case] = [
        Case(
            "field-without-colon", "A line without a colon is an invalid response",
            reply: .ok("no colon", "Content-Length: 5"), then: .close, is: .failure(.invalidResponse)),
        Case(
            "field-nul", "A NUL in a value is an invalid response, or is replaced",
            reply: .ok("X-A: a\u{0}b", "Content-Length: 5"), then: .close,
            is: ConformanceExpectation.failure(.invalidResponse)
                .or(.response(where: "without the NUL") { $0.headers["X-A"]?.contains("\u{0}") == false })),
        Case(
            "head-cut", "A head that is cut in a line is an error",
            reply: Data("HTTP/1.1 200 OK\r\nContent-Le".utf8), then: .close, is: .brokenHead),
        Case(
            "head-cut-after-a-line", "A head that is cut after a line is an error, even if it seems complete",
            reply: Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".utf8), then: .close, is: .brokenHead),
        Case(
            "field-of-a-mebibyte", "A field of 1 MiB is an invalid response",
            reply: .ok("X-A: \(String(repeating: "a", count: 1 << 20))", "Content-Length: 5"),
            is: .failure(.invalidResponse)),
        Case(
            "fields-without-end", "A hundred thousand fields are an invalid response",
            reply: Data.ok(String(repeating: "X-Many: a\r\n", count: 100_000) + "Content-Length: 5"),
            is: .failure(.invalidResponse)),
    ]
}
