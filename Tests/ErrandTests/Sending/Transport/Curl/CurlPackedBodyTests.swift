internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    /// Bodies that unpack to a thousandfold, whose memory is measured in processes of their own.
    @Suite("CurlTransport and bodies that are packed well", .serialized, .timeLimit(.minutes(60)), .paced)
    struct CurlPackedBodyTests {
        /// 128 MiB in 128 KiB.
        private static let matches = 520_000
        private static let count = 1 + matches * 258

        @Test func `a reader who is behind leaves little of a stream in memory`() async {
            await #expect(processExitsWith: .success) {
                let scene = try PackedScene("deflate", PackedZeros.deflate(matches: Self.matches))
                let before = ProcessFootprint.residentKiB
                guard case .stream(let stream) = try await scene.body(into: .stream(buffer: 1 << 16)) else { return }
                var reader = stream.makeAsyncIterator()
                var count = try await reader.next()?.count ?? 0
                await scene.settle()
                let growth = ProcessFootprint.residentKiB - before
                #expect(growth < 8 << 10, "\(growth) KiB")
                while let chunk = try await reader.next() { count += chunk.count }
                #expect(count == Self.count)
            }
        }

        @Test func `a file takes no memory`() async {
            await #expect(processExitsWith: .success) {
                let scene = try PackedScene("deflate", PackedZeros.deflate(matches: Self.matches))
                let file = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: file) }
                let before = ProcessFootprint.residentKiB
                _ = try await scene.body(into: .file(file))
                let growth = ProcessFootprint.residentKiB - before
                #expect(growth < 8 << 10, "\(growth) KiB")
                #expect(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize == Self.count)
            }
        }

        @Test func `however well it is packed`() async {
            await #expect(processExitsWith: .success) {
                // 256 MiB in 8 KiB.
                let scene = try PackedScene("zstd", PackedZeros.zstd(blocks: 2048))
                let before = ProcessFootprint.residentKiB
                guard case .stream(let stream) = try await scene.body(into: .stream(buffer: 1 << 16)) else { return }
                var reader = stream.makeAsyncIterator()
                var count = try await reader.next()?.count ?? 0
                await scene.settle()
                let growth = ProcessFootprint.residentKiB - before
                #expect(growth < 8 << 10, "\(growth) KiB")
                while let chunk = try await reader.next() { count += chunk.count }
                #expect(count == 2048 << 17)
            }
        }
    }

    /// A server with one packed body.
    private struct PackedScene {
        private let server: LoopbackServer
        private let transport = CurlTransport()

        init(_ coding: String, _ content: Data) throws {
            self.server = try LoopbackServer(routes: [
                LoopbackRoute("GET", "/packed") { _ in .data(content, headers: ["Content-Encoding": coding]) }
            ])
        }

        func body(into destination: ExchangeContext.BodyDestination) async throws -> HTTPResponse.Body {
            let url = try HTTPURL("http://127.0.0.1:\(self.server.port)/packed")
            let context = ExchangeContext(requestID: .next(), attempt: 1, destination: destination)
            return try await self.transport.exchange(HTTPRequest(url: url), context).body
        }

        /// Gives the loop time to take in whatever it would.
        func settle() async {
            for _ in 0..<2000 { _ = await self.transport.ledger() }
        }
    }
#endif
