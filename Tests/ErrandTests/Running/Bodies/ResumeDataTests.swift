internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Resume data (G17)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct ResumeDataTests {
        private let scene: StreamingScene
        private let body = streamingBytes(3_000_000)

        init() throws {
            self.scene = try StreamingScene()
        }

        private var ranges: [String?] { self.scene.server.received.map { $0.headers["Range"] } }

        private func folder(_ name: String) throws -> URL {
            let folder = self.scene.folder.appending(path: "\(name)/")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return folder
        }

        private func serve(_ body: Data? = nil, tag: String = "\"1\"") {
            let body = body ?? self.body
            self.scene.server.route("GET", "/a") { .range(of: body, for: $0, tag: tag) }
        }

        /// Downloads a part, and returns what the error has of it, as it is after it was stored.
        private func interrupt(
            _ resuming: DownloadResumption = .automatic, in folder: URL, tag: String = "\"1\""
        ) async throws -> ResumeData? {
            let body = self.body
            self.scene.server.add(
                LoopbackRoute("GET", "/a") { request, number in
                    number == 1 ? .range(of: body, for: request, tag: tag, cutAfter: 1_000_000) : .close
                })
            let error = await streamingFailure { try await self.download(resuming, in: folder) }
            #expect(error?.code == .connectionLost)
            guard let data = error?.context.resumeData else { return nil }
            return try JSONDecoder().decode(ResumeData.self, from: JSONEncoder().encode(data))
        }

        private func download(_ resuming: DownloadResumption, in folder: URL, _ path: String = "a") async throws {
            let place = folder.appending(path: "file", directoryHint: .notDirectory)
            _ = try await self.scene.client().download(FixtureText(path), to: place, resuming: resuming)
        }

        private func expectFile(in folder: URL, _ body: Data? = nil) throws {
            #expect(try Data(contentsOf: folder.appending(path: "file")) == body ?? self.body)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
        }

        @Test func `says how much is there, and is gone on from`() async throws {
            let folder = try self.folder("one")
            let data = try #require(try await self.interrupt(in: folder))
            #expect(data.receivedBytes == 1_000_000)
            #expect(data.totalBytes == 3_000_000)
            self.serve()
            try await self.download(.from(data), in: folder)
            try self.expectFile(in: folder)
            #expect(self.ranges.last == "bytes=1000000-")
        }

        @Test func `is of use where all files have moved, and their folder is given`() async throws {
            let (old, place) = (try self.folder("old"), try self.folder("place"))
            let data = try #require(try await self.interrupt(.automatic(in: old), in: place))
            let new = self.scene.folder.appending(path: "new/")
            try FileManager.default.moveItem(at: old, to: new)
            let other = try self.folder("other")
            self.serve()
            try await self.download(.from(data, in: new, segments: 3), in: other)
            try self.expectFile(in: other)
            #expect(self.ranges.last == "bytes=2048576-")
            #expect(try FileManager.default.contentsOfDirectory(atPath: new.path) == [])
        }

        /// Goes on with a download, and cancels it once so many bytes of the body are there.
        private func cancel(
            at count: Int64, goingOnFrom data: ResumeData, in folder: URL
        ) async -> ErrandError? {
            let reached = Waiter<Void>()
            let watch = FixtureHooks(observe: { event, _ in
                if case .received(let progress) = event, progress.bytes >= count { reached.resume(()) }
            })
            let place = folder.appending(path: "file", directoryHint: .notDirectory)
            let request = self.scene.client().request(
                FixtureText { $0.options = .destination(.file(place, resuming: .from(data))) },
                options: .accessories([watch]))
            await request.start()
            _ = await reached.wait()
            request.cancel()
            return await streamingFailure { _ = try await request.value }
        }

        @Test func `counts no byte twice where the same body comes once more from its first`() async throws {
            let folder = try self.folder("one")
            let first = try #require(try await self.interrupt(in: folder))
            let (body, gate) = (self.body, LoopbackGate())
            self.scene.server.route("GET", "/a") { _ in
                let message = LoopbackMessage(
                    headers: ["ETag": "\"1\""], body: .declared(3_000_000, sent: Data(body.prefix(500_000))))
                return LoopbackReply(.message(message), .hold(gate))
            }
            let error = await self.cancel(at: 500_000, goingOnFrom: first, in: folder)
            #expect(error?.context.resumeData?.receivedBytes == 1_000_000)
            gate.open()
        }

        @Test func `D35: comes from a cancellation, and from each interruption again`() async throws {
            let folder = try self.folder("one")
            let first = try #require(try await self.interrupt(in: folder))
            let (body, gate) = (self.body, LoopbackGate())
            self.scene.server.route("GET", "/a") { request in
                let message = LoopbackMessage(
                    status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 1000000-2999999/3000000"],
                    body: .declared(2_000_000, sent: Data(body[1_000_000..<2_000_000])))
                return LoopbackReply(.message(message), .hold(gate))
            }
            let error = await self.cancel(at: 2_000_000, goingOnFrom: first, in: folder)
            #expect(error?.code == .cancelled)
            let second = try #require(error?.context.resumeData)
            #expect(second.receivedBytes == 2_000_000)
            gate.open()
            self.serve()
            try await self.download(.from(second), in: folder)
            try self.expectFile(in: folder)
            #expect(self.ranges.last == "bytes=2000000-")
        }

        @Test func `is not there where nothing can be gone on from`() async throws {
            let folder = try self.folder("one")
            #expect(try await self.interrupt(in: folder, tag: "W/\"1\"") == nil)
            #expect(try await self.interrupt(.never, in: folder) == nil)
            self.scene.server.route("GET", "/a", .text("no", status: 404))
            let error = await streamingFailure { try await self.download(.automatic, in: folder) }
            #expect(error?.context.resumeData == nil)
        }

        @Test func `of a part that is gone begins again`() async throws {
            let folder = try self.folder("one")
            let data = try #require(try await self.interrupt(in: folder))
            try DownloadResumption.from(data).discardPartialDownload(of: folder.appending(path: "file"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            self.serve()
            try await self.download(.from(data), in: folder)
            try self.expectFile(in: folder)
            #expect(self.ranges.last == .some(nil))
        }

        @Test func `of an older part than the one that is there begins again`() async throws {
            let folder = try self.folder("one")
            let old = try #require(try await self.interrupt(in: folder))
            _ = try await self.interrupt(in: folder, tag: "\"2\"")
            self.serve(tag: "\"2\"")
            try await self.download(.from(old), in: folder)
            try self.expectFile(in: folder)
            #expect(self.ranges.last == .some(nil))
        }

        @Test func `of another URL is left alone`() async throws {
            let folder = try self.folder("one")
            let data = try #require(try await self.interrupt(in: folder))
            let other = streamingBytes(100)
            self.scene.server.route("GET", "/b") { .range(of: other, for: $0) }
            try await self.download(.from(data), in: folder, "b")
            #expect(try Data(contentsOf: folder.appending(path: "file")) == other)
            #expect(self.ranges.last == .some(nil))
        }

        @Test(arguments: ["", "..", "../a.partial", "./.partial", "a.partial", ".a", ".a/.partial", ".\u{0}.partial"])
        func `that names another place is none`(name: String) async throws {
            let folder = try self.folder("one")
            let data = try #require(try await self.interrupt(in: folder))
            var object = try #require(
                try JSONSerialization.jsonObject(with: JSONEncoder().encode(data)) as? [String: Any])
            object["folder"] = name
            let damaged = try JSONSerialization.data(withJSONObject: object)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(ResumeData.self, from: damaged) }
        }
    }
#endif
