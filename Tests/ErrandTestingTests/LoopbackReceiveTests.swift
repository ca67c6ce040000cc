internal import Errand
internal import ErrandLocks
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandTesting

@Suite("Replies that take a body while they are under way", .timeLimit(.minutes(60)), .paced)
struct LoopbackReceiveTests {
    private static let head = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"

    private let server: LoopbackServer
    private let taken = Taken()

    private final class Taken: Sendable {
        private let contents = Locked<[LoopbackContent]>([])

        var all: [LoopbackContent] { self.contents.withLock { $0 } }

        func add(_ content: LoopbackContent) {
            self.contents.withLock { $0.append(content) }
        }
    }

    init() throws {
        self.server = try LoopbackServer()
    }

    /// Answers with an interim response, then with the body or a part of it, and with more steps.
    private func answer(atMost limit: Int = .max, then more: [LoopbackReply.Step] = []) {
        let taken = self.taken
        self.server.add(
            .early("POST", "/a") { _ in
                LoopbackReply(
                    .message(LoopbackMessage(status: 103)),
                    .receive(atMost: limit) { content in
                        taken.add(content)
                        return content.isWhole ? LoopbackReply.text("whole").steps : more
                    })
            })
    }

    @Test func `go on when all of it has come`() async throws {
        self.answer()
        let text = try await LoopbackTestClient(self.server).run { socket in
            try socket.write(Self.head + "01234")
            #expect(try socket.readHead().hasPrefix("HTTP/1.1 103 "))
            try socket.write("56789")
            return try socket.readBody()
        }
        #expect(text == "whole")
        #expect(self.taken.all == [LoopbackContent(bytes: Data("0123456789".utf8), isWhole: true)])
        #expect(self.server.received.map(\.body) == [Data("0123456789".utf8)])
    }

    @Test func `go on to the next request on the same connection`() async throws {
        self.answer()
        let texts = try await LoopbackTestClient(self.server).run { socket in
            try (0..<3).map { _ in
                try socket.write(Self.head + "0123456789")
                _ = try socket.readHead()
                return try socket.readBody()
            }
        }
        #expect(texts == ["whole", "whole", "whole"])
        #expect(self.server.connectionsAccepted == 1)
    }

    @Test func `take no more than they are told to, and hang up so that all is read before`() async throws {
        self.answer(atMost: 3, then: [.bytes(Data("HTTP/1.1 ".utf8)), .hangUp])
        let rest = try await LoopbackTestClient(self.server).run { socket in
            try socket.write(Self.head + "01234")
            _ = try socket.readHead()
            return try socket.readToEnd()
        }
        #expect(rest.text == "HTTP/1.1 ")
        #expect(rest.end == .closed)
        #expect(self.taken.all == [LoopbackContent(bytes: Data("012".utf8), isWhole: false)])
        #expect(self.server.received.isEmpty)
    }

    @Test func `know of what has come when the client goes away`() async throws {
        self.answer()
        try await LoopbackTestClient(self.server).run { socket in
            try socket.write(Self.head + "01234")
            _ = try socket.readHead()
        }
        await self.server.waitForClosedConnections(1)
        #expect(self.taken.all == [LoopbackContent(bytes: Data("01234".utf8), isWhole: false)])
    }
}
