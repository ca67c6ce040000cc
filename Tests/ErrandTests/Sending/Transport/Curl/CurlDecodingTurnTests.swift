internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("CurlTransport: bodies that become far larger, and others (G6, G8)", .timeLimit(.minutes(60)), .paced)
    struct CurlDecodingTurnTests {
        /// 32 MiB in 1 KiB: one callback of libcurl's would decode all of it.
        private static let packed = PackedZeros.zstd(blocks: 256)
        private static let count = 256 << 17

        @Test func `another exchange moves while one is decoded`() async throws {
            let (begin, sent) = (LoopbackGate(), LoopbackGate())
            let server = try LoopbackServer()
            defer { server.stop() }
            let head =
                "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: \(Self.packed.count)\r\n\r\n"
            server.fallback { _ in
                LoopbackReply(.hold(begin), .bytes(Data(head.utf8) + Self.packed), .hold(sent))
            }
            let url = try HTTPURL("http://127.0.0.1:\(server.port)/")
            let transport = CurlTransport()
            defer { transport.shutdown() }
            let order = Locked<[Int]>([])
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<2 {
                    let context = ExchangeContext(
                        requestID: .next(), attempt: 1, destination: .memory(limit: 1 << 30)
                    ) { event in
                        guard case .received = event else { return }
                        let isFirst = order.withLock { order in
                            order.append(number)
                            return order.count == 1
                        }
                        // On the loop, which goes on when the bytes of the other body are on their way, too.
                        while isFirst, sent.reachedCount < 2 { sched_yield() }
                    }
                    group.addTask {
                        try await transport.exchange(HTTPRequest(url: url), context).data.count
                    }
                }
                await begin.waitUntilReached(times: 2)
                begin.open()
                for try await count in group { #expect(count == Self.count) }
            }
            let numbers = order.withLock(\.self)
            // A turn is a few hundred kilobytes, in pieces of 16.
            let firstTurn = numbers.prefix { $0 == numbers.first }
            #expect(firstTurn.count < 100, "\(firstTurn.count) of \(numbers.count)")
        }
    }
#endif
