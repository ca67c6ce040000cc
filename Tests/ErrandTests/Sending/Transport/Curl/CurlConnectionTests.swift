internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("CurlTransport and connections that serve one exchange", .timeLimit(.minutes(60)), .paced)
    struct CurlConnectionTests {
        @Test func `one on which a request said it is the last serves no other`() async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            // The server keeps it open, and says something that nobody asked for a little later.
            let gate = LoopbackGate()
            server.route(
                "GET", "/last",
                LoopbackReply(
                    .bytes(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlast".utf8)), .hold(gate),
                    .bytes(Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong".utf8))))
            server.route("GET", "/next", .text("next"))
            let transport = CurlTransport()
            defer { transport.shutdown() }
            for number in 1...20 {
                let last = try CurlExchangeCall(server, "/last", headers: ["Connection": "close"])
                #expect(try await last.outcome(over: transport).get() == Data("last".utf8))
                gate.open()
                let next = try CurlExchangeCall(server, "/next", headers: ["Connection": "Close"])
                #expect(try await next.outcome(over: transport).get() == Data("next".utf8))
                #expect(server.connectionsAccepted == 2 * number)
            }
            let other = try CurlExchangeCall(server, "/next")
            for _ in 0..<3 { #expect(try await other.outcome(over: transport).get() == Data("next".utf8)) }
            #expect(server.connectionsAccepted == 41)
        }
    }
#endif
