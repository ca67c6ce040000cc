internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandTesting

@Suite(.timeLimit(.minutes(60)), .paced)
struct LoopbackParserTests {
    private static let post = "POST / HTTP/1.1\r\nHost: x\r\n"

    private static var tight: LoopbackOptions {
        var options = LoopbackOptions()
        options.maximumHeadSize = 256
        options.maximumBodySize = 16
        return options
    }

    @Test(arguments: [
        ("\u{16}\u{3}\u{1}", 400),
        ("GET /\r\n", 400),
        ("GET / HTTP/1.1 \r\n", 400),
        ("GET  / HTTP/1.1\r\n", 400),
        ("GET / HTTP/1.1\n", 400),
        ("G@T / HTTP/1.1\r\n", 400),
        ("GET / HTTP/2.0\r\n", 505),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
        (post + "Name : value\r\n", 400),
        (post + "Name\r\n", 400),
        (post + ": value\r\n", 400),
        (post + " folded\r\n", 400),
        (post + "Name: a\u{0}b\r\n", 400),
        (post + "Name: a\rb\r\n", 400),
        (post + "Content-Length: -1\r\n\r\n", 400),
        (post + "Content-Length: 1, 1\r\n\r\n", 400),
        (post + "Content-Length:\r\n\r\n", 400),
        (post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (post + "Transfer-Encoding: gzip\r\n\r\n", 501),
        (post + "Transfer-Encoding: chunked\r\n\r\nx\r\n", 400),
        (post + "Transfer-Encoding: chunked\r\n\r\n\r\n", 400),
        (post + "Transfer-Encoding: chunked\r\n\r\n1\r\nab", 400),
        (post + "Transfer-Encoding: chunked\r\n\r\n1 x\r\na\r\n0\r\nbad\r\n", 400),
        (post + "Content-Length: 17\r\n\r\n", 413),
        (post + "Content-Length: 99999999999999999999999999\r\n\r\n", 413),
        (post + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\n", 413),
        (post + "Transfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n8\r\n", 413),
        (post + "Name: " + String(repeating: "a", count: 256), 431),
        (post + "A: " + String(repeating: "a", count: 140) + "\r\nB: " + String(repeating: "b", count: 140), 431),
        ("GET /" + String(repeating: "a", count: 256), 431),
    ])
    func `refuses what is no acceptable request, and closes`(text: String, status: Int) async throws {
        let server = try LoopbackServer(options: Self.tight)
        let reply = try await LoopbackTestClient(server).exchange(text)
        #expect(reply.hasPrefix("HTTP/1.1 \(status) "))
        #expect(reply.hasSuffix("\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
        #expect(server.receivedCount == 0)
    }

    @Test func `lets a client read the refusal while it is still sending`() async throws {
        let server = try LoopbackServer()
        let reply = try await LoopbackTestClient(server).run { socket in
            try socket.write(Self.post + "Content-Length: 99999999\r\n\r\n")
            try socket.write(Data(count: 8_000_000))
            return try socket.readHead()
        }
        #expect(reply.hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    }

    @Test func `answers what came before malformed bytes`() async throws {
        let server = try LoopbackServer()
        let reply = try await LoopbackTestClient(server).exchange("GET /a HTTP/1.1\r\nHost: x\r\n\r\n\u{0}")
        #expect(reply.hasPrefix("HTTP/1.1 404 "))
        #expect(reply.contains("Not FoundHTTP/1.1 400 Bad Request\r\n"))
    }

    @Test func `accepts a head and a body at their limits`() {
        let head = Self.post + "Content-Length: 16\r\nA: "
        let filling = String(repeating: "a", count: 256 - head.utf8.count - 2)
        let text = head + filling + "\r\n\r\n0123456789abcdef"
        #expect(events(Array(text.utf8), pieceSize: 1).map(\.first) == ["P"])
    }

    @Test(arguments: 0..<40)
    func `says the same about any bytes however they are cut, and never traps`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<50 {
            let bytes = Self.bytes(using: &random)
            let whole = events(bytes, pieceSize: bytes.count)
            #expect(whole == events(bytes, pieceSize: 1))
            #expect(whole == events(bytes, pieceSize: Int.random(in: 1...40, using: &random)))
        }
    }

    // MARK: - Helpers

    /// A stream of good requests with some bytes changed.
    private static func bytes(using random: inout SplitMix64) -> [UInt8] {
        let parts = [
            "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n",
            post + "Content-Length: 5\r\n\r\nhello",
            post + "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n",
            "\r\n", "DELETE * HTTP/1.0\r\n\r\n",
        ]
        var bytes = (0..<4).flatMap { _ in Array((parts.randomElement(using: &random) ?? "").utf8) }
        for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            if Bool.random(using: &random) {
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            } else {
                bytes.remove(at: place)
            }
        }
        return bytes.isEmpty ? [0] : bytes
    }

    /// What a parser says about bytes that come in pieces.
    private func events(_ bytes: [UInt8], pieceSize: Int) -> [String] {
        var parser = LoopbackParser(options: Self.tight, connectionNumber: 1)
        var said: [String] = []
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            parser.append(bytes[start..<min(bytes.count, start + pieceSize)])
            said += drain(&parser)
        }
        return said
    }

    private func drain(_ parser: inout LoopbackParser) -> [String] {
        var said: [String] = []
        while true {
            switch parser.next() {
            case .needsBytes: return said
            case .expectsContinue: said.append("continue")
            case .request(let request):
                let body = String(decoding: request.body, as: UTF8.self)
                said.append("\(request.method) \(request.target) \(request.requestNumber) \(body) \(request.trailers)")
            case .refused(let status): said.append("\(status)")
            }
        }
    }
}
