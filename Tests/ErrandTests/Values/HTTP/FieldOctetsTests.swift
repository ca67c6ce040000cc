internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Octets of field values (RFC 9110 §5.5)", .timeLimit(.minutes(60)), .paced)
struct FieldOctetsTests {
    private static func fields(_ lines: [UInt8]...) -> HTTPFields {
        HTTPFields(RawHTTPFields(lines.flatMap { $0 + Array("\r\n".utf8) }, from: 0))
    }

    private static let values: [(octets: [UInt8], text: String)] = [
        (Array("café 😀".utf8), "café 😀"), ([0x63, 0xE9], "c\u{10FEE9}"), ([0xC3, 0xA9, 0xC3], "é\u{10FEC3}"),
        // One that stands for an octet is no UTF-8 of a server's.
        ([0xF4, 0x8F, 0xBB, 0xA9], "\u{10FEF4}\u{10FE8F}\u{10FEBB}\u{10FEA9}"),
        ([0xF4, 0x8F, 0xBF, 0xBD], "\u{10FFFD}"), ([0xED, 0xA0, 0x80], "\u{10FEED}\u{10FEA0}\u{10FE80}"),
    ]

    @Test(arguments: Self.values)
    func `octets that are not UTF-8 are characters of their own, and octets again`(octets: [UInt8], text: String) {
        let value = Self.fields(Array("X: ".utf8) + octets)["X"] ?? ""
        #expect(value.unicodeScalars.elementsEqual(text.unicodeScalars))
        #expect((FieldOctets.octets(of: value) ?? Array(value.utf8)) == octets)
    }

    @Test func `any octets come back as they were`() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<TestEffort.rounds(of: 5_000) {
            let octets = (0..<Int.random(in: 0...12, using: &random)).map { _ -> UInt8 in
                [0x41, 0xC3, 0xA9, 0xF4, 0x8F, 0xBA, 0xBB, 0x80, 0xE9, 0xED].randomElement(using: &random) ?? 0x41
            }
            let text = FieldOctets.text(octets)
            #expect((FieldOctets.octets(of: text) ?? Array(text.utf8)) == octets)
        }
    }

    @Test func `people read them as Latin-1`() {
        #expect(FieldOctets.readable("caf\u{10FEE9}") == "café")
        #expect(FieldOctets.readable("café") == "café")
    }

    @Test func `equal lines of a field that is no list are one`() {
        var fields: HTTPFields = ["Retry-After": "5", "retry-after": "5", "Vary": "a", "vary": "a"]
        #expect(fields["Retry-After"] == "5")
        #expect(fields["Vary"] == "a, a")
        fields.append(name: "Retry-After", value: "6")
        #expect(fields["Retry-After"] == "5, 5, 6")
        let head = HTTPResponse.Head(status: 503, headers: ["Retry-After": "5", "retry-after": "5"])
        #expect(head.retryAfter(at: .distantPast) == .seconds(5))
    }

    #if os(Linux)
        @Test func `a cookie and a location go back with the octets that came`() async throws {
            let server = try LoopbackServer()
            let head = Data("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nETag: \"".utf8) + [0xE9]
            let cookie = Data("\"\r\nSet-Cookie: a=caf".utf8) + [0xE9]
            let location = Data("\r\nLocation: /caf".utf8) + [0xE9] + Data("\r\n\r\n".utf8)
            server.route("GET", "/a", LoopbackReply(.bytes(head + cookie + location)))
            server.route("GET", "/caf%E9", .text("x"))
            let client = Client(baseURL: server.baseURL) { $0.cookies = .store(CookieJar()) }
            #expect(try await client.send(FixtureText()) == "x")
            // The server reads UTF-8, and replaces what is none: that is one octet.
            #expect(server.received.last?.headers["Cookie"] == "a=caf\u{FFFD}")
            await client.shutdown()
        }
    #endif
}
