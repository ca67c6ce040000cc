internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Testing

#if os(Linux)
    /// One of several tasks that send all kinds of requests and cancel some of them, at any moment.
    struct CurlRaceLane: Sendable {
        let client: Client
        let scene: CurlScene
        let random: SimulationRandom
        /// Errors that are planned, besides those of the paths.
        let allowed: Set<ErrandError.Code>

        init(_ client: Client, _ scene: CurlScene, seed: UInt64, allowing allowed: Set<ErrandError.Code> = []) {
            self.client = client
            self.scene = scene
            self.random = SimulationRandom(seed: seed)
            self.allowed = allowed
        }

        func run(requests: Int) async {
            for _ in 0..<requests {
                let kind = self.random.int(in: 0..<12)
                // What stalls ends by a cancel and by nothing else.
                let isCancelled = kind < 2 || self.random.bool(probability: 0.3)
                let patience = isCancelled ? self.random.int(in: 0..<300) : nil
                await withTaskGroup { group in
                    group.addTask { await self.perform(kind, isCancelled) }
                    guard let patience else { return }
                    for _ in 0..<patience { await Task.yield() }
                    group.cancelAll()
                }
            }
        }

        private func perform(_ kind: Int, _ isCancelled: Bool) async {
            var allowed = self.allowed
            if isCancelled { allowed.insert(.cancelled) }
            if kind == 2 { allowed.insert(.connectionLost) }
            do throws(ErrandError) {
                try await self.perform(kind)
            } catch {
                if !allowed.contains(error.code) { Issue.record("\(kind): \(error)") }
            }
        }

        private func perform(_ kind: Int) async throws(ErrandError) {
            switch kind {
            case 0: try await self.collect("/stall/head/x", nil)
            case 1: try await self.stream("/stall/body/x", nil)
            case 2: try await self.download("/reset/x", nil)
            case 3: try await self.download("/large/x", CurlScene.large.count)
            case 4: try await self.download("/chunked/x", CurlScene.large.count * 2)
            case 5: try await self.stream("/large/x", CurlScene.large.count)
            case 6: try await self.stream("/chunked/x", CurlScene.large.count * 2)
            case 7: try await self.leave("/large/x")
            case 8: try await self.upload()
            default: try await self.collect("/text/1234", 10)
            }
        }

        // MARK: - Kinds of requests

        private func collect(_ path: String, _ size: Int?) async throws(ErrandError) {
            let count = try await self.client.send(CurlCall(path))
            if count != size { Issue.record("\(count) bytes of \(path)") }
        }

        private func download(_ path: String, _ size: Int?) async throws(ErrandError) {
            let file = self.scene.folder.appending(path: UUID().uuidString)
            let downloaded = try await self.client.download(CurlCall(path), to: file)
            if size.map(Int64.init) != downloaded.size { Issue.record("\(downloaded.size) bytes of \(path)") }
            try? FileManager.default.removeItem(at: file)
        }

        private func stream(_ path: String, _ size: Int?) async throws(ErrandError) {
            let count = try await self.client.stream(CurlCall(path), buffer: 4096) { response in
                var count = 0
                for try await chunk in response.body { count += chunk.count }
                return count
            }
            if count != size { Issue.record("\(count) bytes of \(path)") }
        }

        /// Reads the first chunk and no more.
        private func leave(_ path: String) async throws(ErrandError) {
            let first = try await self.client.stream(CurlCall(path), buffer: 4096) { response in
                var iterator = response.body.makeAsyncIterator()
                return try await iterator.next()
            }
            if first?.isEmpty != false { Issue.record("no chunk of \(path)") }
        }

        /// Sends the large body in pieces, of which nobody knows how many come.
        private func upload() async throws(ErrandError) {
            var call = CurlCall("/size")
            call.method = .put
            call.body = RequestBody { RequestBody.Encoded(.stream(Self.pieces, length: nil)) }
            let count = try await self.client.send(call)
            if count != "\(CurlScene.large.count)".count { Issue.record("an answer of \(count) bytes") }
        }

        private static var pieces: BodyStream {
            BodyStream {
                var rest = CurlScene.large
                return { () async throws(ErrandError) -> Data? in
                    await Task.yield()
                    defer { rest = rest.dropFirst(30_000) }
                    return rest.isEmpty ? nil : rest.prefix(30_000)
                }
            }
        }
    }
#endif
