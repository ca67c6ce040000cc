internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Transfers whose disk is full, or whose folder goes away (G13, G17)", .timeLimit(.minutes(60)), .paced)
    struct TransferPlaceTests {
        // MARK: - A full disk

        @Test func `a download keeps what there was room for, and goes on from there`() async {
            await #expect(processExitsWith: .success) {
                let scene = try DiskScene(3_000_000)
                let error = try await scene.failure(withRoomFor: 1_000_000)
                #expect(error?.code == .fileFailed)
                #expect(error?.message.hasSuffix(": File too large") == true, "\(error?.message ?? "")")
                #expect(error?.context.resumeData?.receivedBytes == 1_000_000)
                scene.expectNoFile()
                try await scene.succeed()
                #expect(scene.ranges == [nil, "bytes=1000000-"])
            }
        }

        @Test func `so does one in segments`() async {
            await #expect(processExitsWith: .success) {
                let scene = try DiskScene(9_000_001, segments: 4)
                let error = try await scene.failure(withRoomFor: 1_500_000)
                #expect(error?.code == .fileFailed)
                #expect(error?.message.hasSuffix(": File too large") == true, "\(error?.message ?? "")")
                scene.expectNoFile()
                let before = scene.ranges.count
                try await scene.succeed()
                // No more than a mebibyte is asked for before the server has shown that it serves ranges.
                #expect(scene.ranges.dropFirst(before).first.map { $0 == "bytes=0-1048575" } == false)
            }
        }

        @Test func `pieces that cannot be joined stay, and are joined later`() async {
            await #expect(processExitsWith: .success) {
                let scene = try DiskScene(3_000_000)
                scene.serve { body, request, _ in .range(of: body, for: request, cutAfter: 1_000_000) }
                let error = try await scene.failure(withRoomFor: 1_500_000)
                #expect(error?.code == .fileFailed)
                #expect(error?.message == "the pieces of a download cannot be joined: File too large")
                #expect(scene.ranges == [nil, "bytes=1000000-"])
                scene.serve()
                try await scene.succeed()
                #expect(scene.ranges.dropFirst(2) == ["bytes=2000000-"])
            }
        }

        @Test func `one whose record could not be written begins anew`() async {
            await #expect(processExitsWith: .success) {
                let scene = try DiskScene(100_000)
                let error = try await scene.failure(withRoomFor: 10)
                #expect(error?.code == .fileFailed)
                scene.expectNoFile()
                try await scene.succeed()
                #expect(scene.ranges == [nil, nil])
            }
        }

        @Test func `an upload whose record cannot be written is sent all the same`() async {
            await #expect(processExitsWith: .success) {
                let scene = try UploadScene()
                scene.server.cut(after: 300_000, 300_000)
                guard let limit = TestFileSizeLimit(bytes: 10) else { exit(2) }
                let text = try await scene.upload(.automatic(in: scene.records))
                #expect(text == "uploaded")
                guard limit.lift() else { exit(3) }
                scene.expectWhole()
                let names = try scene.recordNames
                #expect(names == [])
            }
        }

        // MARK: - A folder that goes away

        /// What is removed: the folder of the file, or only the hidden one in it.
        enum Removed: Sendable, CaseIterable {
            case folder, pieces
        }

        @Test(arguments: Removed.allCases, [1, 4])
        func `a download whose folder goes away while it comes is a clear error`(
            removed: Removed, segments: Int
        ) async throws {
            let scene = try DiskScene(9_000_001, segments: segments)
            scene.serve { body, request, number in
                // What is being written when the folder goes comes to its end, and is nowhere.
                if number == 2 { try? scene.remove(removed) }
                return .range(of: body, for: request, cutAfter: number == 1 ? 500_000 : nil)
            }
            let error = await scene.failure()
            #expect(error?.code == .fileFailed)
            #expect(error?.message.contains("No such file or directory") == true, "\(error?.message ?? "")")
            #expect(error?.context.resumeData == nil)
            scene.serve()
            try scene.makeFolder()
            try await scene.succeed()
        }

        @Test(arguments: Removed.allCases)
        func `a connection that is lost as well is the error, and the next call begins anew`(
            removed: Removed
        ) async throws {
            let scene = try DiskScene(3_000_000)
            scene.serve { body, request, number in
                if number == 2 { try? scene.remove(removed) }
                return .range(of: body, for: request, cutAfter: 500_000)
            }
            let error = await scene.failure()
            #expect(error?.code == .connectionLost || error?.code == .fileFailed)
            #expect(error?.context.resumeData == nil)
            scene.serve()
            try scene.makeFolder()
            try await scene.succeed()
            #expect(scene.ranges.last == .some(nil))
        }

        @Test func `a folder that went away between two requests is missed before anything is sent`() async throws {
            let scene = try DiskScene(3_000_000)
            scene.serve { body, request, number in
                number == 1 ? .range(of: body, for: request, cutAfter: 1_000_000) : .close
            }
            #expect(await scene.failure()?.code == .connectionLost)
            let before = scene.ranges.count
            try scene.remove(.folder)
            let error = await scene.failure()
            #expect(error?.code == .fileFailed)
            #expect(error?.message.hasSuffix(": No such file or directory") == true, "\(error?.message ?? "")")
            #expect(scene.ranges.count == before)
            scene.serve()
            try scene.makeFolder()
            try await scene.succeed()
            #expect(scene.ranges.last == .some(nil))
        }

        @Test(arguments: [true, false])
        func `an upload whose folder of records goes away is sent all the same`(isTus: Bool) async throws {
            let scene = try UploadScene(isTus ? .tus : .draft(interopVersion: 8))
            let resuming: UploadResumption = isTus ? .tus(in: scene.records) : .automatic(in: scene.records)
            scene.server.cut(after: 300_000, 300_000)
            let accessory = FolderRemover(scene.records)
            try await scene.upload(resuming, with: scene.client { $0.accessories.append(accessory) })
            scene.expectWhole()
            #expect(!FileManager.default.fileExists(atPath: scene.records.path))
        }

        @Test func `an upload whose folder of records cannot be made is a clear error, and nothing is sent`()
            async throws
        {
            let scene = try UploadScene()
            try FileManager.default.removeItem(at: scene.records)
            try Data().write(to: scene.records)
            let error = await streamingFailure { try await scene.upload(.automatic(in: scene.records)) }
            #expect(error?.code == .fileFailed)
            #expect(error?.message.contains(scene.records.path) == true, "\(error?.message ?? "")")
            #expect(scene.methods == [])
        }
    }

    /// A server, and a folder for a download that may be full or gone.
    private final class DiskScene: Sendable {
        private let scene: StreamingScene
        private let folder: URL
        private let body: Data
        private let segments: Int

        init(_ count: Int, segments: Int = 1) throws {
            self.scene = try StreamingScene()
            self.folder = self.scene.folder.appending(path: "downloads", directoryHint: .isDirectory)
            self.body = streamingBytes(count)
            self.segments = segments
            try self.makeFolder()
            self.serve()
        }

        /// The ranges that were asked for, in order; `nil` for a request without one.
        var ranges: [String?] { self.scene.server.received.map { $0.headers["Range"] } }

        /// Expects that nothing has its final name.
        func expectNoFile() {
            let names = try? FileManager.default.contentsOfDirectory(atPath: self.folder.path)
            #expect(names?.allSatisfy { $0.hasPrefix(".") } == true)
        }

        /// Answers with what is made of the body, a request and its number from now on.
        func serve(
            _ reply: @escaping @Sendable (Data, LoopbackRequest, Int) -> LoopbackReply = { body, request, _ in
                .range(of: body, for: request)
            }
        ) {
            self.scene.server.add(LoopbackRoute("GET", "/a", answer: { [body] in reply(body, $0, $1) }))
        }

        func makeFolder() throws {
            try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        }

        func remove(_ removed: TransferPlaceTests.Removed) throws {
            switch removed {
            case .folder: try self.removeAtOnce(self.folder)
            case .pieces:
                for name in try FileManager.default.contentsOfDirectory(atPath: self.folder.path) {
                    try self.removeAtOnce(self.folder.appending(path: name))
                }
            }
        }

        /// Moved away first: files that others make in a folder meanwhile keep it from being removed.
        private func removeAtOnce(_ item: URL) throws {
            let away = self.scene.folder.appending(path: UUID().uuidString)
            try FileManager.default.moveItem(at: item, to: away)
            try FileManager.default.removeItem(at: away)
        }

        // MARK: - Downloading

        private func download() async throws(ErrandError) {
            let client = self.scene.client { $0.limits.concurrency = RequestScheduler.Limits(total: 8, perHost: 8) }
            _ = try await client.download(
                FixtureText(), to: self.folder.appending(path: "file"), resuming: .automatic(segments: self.segments))
        }

        func failure() async -> ErrandError? {
            await streamingFailure { try await self.download() }
        }

        /// The error of a download where no file may have more bytes; in a process of its own.
        func failure(withRoomFor bytes: Int) async throws -> ErrandError? {
            let limit = try #require(TestFileSizeLimit(bytes: bytes))
            let error = await self.failure()
            #expect(limit.lift())
            return error
        }

        /// Downloads, and wants the whole body and nothing else in the folder.
        func succeed() async throws {
            try await self.download()
            #expect(try Data(contentsOf: self.folder.appending(path: "file")) == self.body)
            #expect(try FileManager.default.contentsOfDirectory(atPath: self.folder.path) == ["file"])
        }
    }

    /// Removes a folder when a part of a body was sent.
    private final class FolderRemover: Accessory {
        private let folder: URL

        init(_ folder: URL) {
            self.folder = folder
        }

        func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
            guard case .sent(let progress) = event, progress.bytes > 0 else { return }
            try? FileManager.default.removeItem(at: self.folder)
        }
    }
#endif
