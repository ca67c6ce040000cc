internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

#if os(Linux)
    @Suite(
        "Uploads that outlive their process (G13, G16, G17)",
        .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct RecordedUploadTests {
        private func resumption(_ scene: UploadScene, isTus: Bool = false) -> UploadResumption {
            isTus ? .tus(in: scene.records) : .automatic(in: scene.records)
        }

        private func scene(isTus: Bool = false) throws -> UploadScene {
            try UploadScene(isTus ? .tus : .draft(interopVersion: 8))
        }

        /// Uploads a part, and ends before the rest.
        private func interrupt(
            _ scene: UploadScene, isTus: Bool = false, after count: Int = 400_000,
            _ call: FixtureText = UploadScene.call()
        ) async throws {
            scene.server.cut(after: count)
            for _ in 0..<4 { scene.server.answerNext("HEAD", .close) }
            let resumption = self.resumption(scene, isTus: isTus)
            let error = await streamingFailure { try await scene.upload(resumption, call) }
            #expect(error?.code == .connectionLost)
            #expect(try scene.recordNames.count == 1)
            #expect(scene.methods.count { $0 == "HEAD" } >= 1)
        }

        private func record(_ scene: UploadScene) throws -> URL {
            let name = try #require(try scene.recordNames.first)
            return scene.records.appending(path: name).appending(path: "record")
        }

        @Test(arguments: [false, true])
        func `go on with the next call`(isTus: Bool) async throws {
            let scene = try self.scene(isTus: isTus)
            try await self.interrupt(scene, isTus: isTus)
            let before = scene.methods.count
            try await scene.upload(self.resumption(scene, isTus: isTus))
            scene.expectWhole()
            #expect(scene.server.uploads.count == 1)
            #expect(Array(scene.methods.dropFirst(before)) == ["HEAD", "PATCH"])
            #expect(try scene.recordNames == [])
        }

        @Test func `go on with bytes, by their digest`() async throws {
            let scene = try self.scene()
            let resumption = self.resumption(scene)
            scene.server.cut(after: 400_000)
            for _ in 0..<4 { scene.server.answerNext("HEAD", .close) }
            let error = await streamingFailure {
                _ = try await scene.client().send(
                    UploadCallFixture(body: .bytes(scene.content), uploadResumption: resumption))
            }
            #expect(error?.code == .connectionLost)
            let other = UploadCallFixture(body: .text("other"), uploadResumption: resumption)
            #expect(try await scene.client().send(other) == "uploaded")
            let same = UploadCallFixture(body: .bytes(scene.content), uploadResumption: resumption)
            #expect(try await scene.client().send(same) == "uploaded")
            #expect(scene.server.uploads.map(\.content) == [scene.content, Data("other".utf8)])
        }

        @Test(arguments: [false, true])
        func `keep the record when they are cancelled, or the client is shut down`(isShutDown: Bool) async throws {
            let (scene, gate) = (try self.scene(), LoopbackGate())
            let resumption = self.resumption(scene)
            scene.server.cut(after: 400_000)
            scene.server.answerNext("HEAD", .status(204).held(by: gate))
            let client = scene.client()
            let task = Task { try await scene.upload(resumption, with: client) }
            await gate.waitUntilReached()
            if isShutDown { await client.shutdown() } else { task.cancel() }
            _ = await task.result
            gate.open()
            try await scene.upload(resumption)
            scene.expectWhole()
            #expect(scene.server.uploads.count == 1)
        }

        @Test func `have the record before they end, for a process that is killed`() async throws {
            let (scene, gate) = (try self.scene(), LoopbackGate())
            scene.server.cut(after: 400_000)
            scene.server.answerNext("HEAD", .status(204).held(by: gate))
            let (resumption, client) = (self.resumption(scene), scene.client())
            let task = Task { try await scene.upload(resumption, with: client) }
            await gate.waitUntilReached()
            let record = try self.record(scene)
            await fixtureUntil { FileManager.default.fileExists(atPath: record.path) }
            task.cancel()
            _ = await task.result
            gate.open()
        }

        @Test(arguments: [423, 409, 503])
        func `keep the record while the server is not ready`(status: Int) async throws {
            let scene = try self.scene()
            try await self.interrupt(scene)
            for _ in 0..<10 { scene.server.answerNext("HEAD", .status(HTTPStatus(rawValue: status))) }
            let error = await streamingFailure { try await scene.upload(self.resumption(scene)) }
            #expect(error?.code == .unacceptableStatus)
            #expect(try scene.recordNames.count == 1)
        }

        @Test func `drop the record with a response that ends them`() async throws {
            let scene = try self.scene()
            try await self.interrupt(scene)
            scene.server.answerNext("PATCH", .status(422, headers: ["Upload-Complete": "?1"]))
            let error = await streamingFailure { try await scene.upload(self.resumption(scene)) }
            #expect(error?.code == .unacceptableStatus)
            #expect(try scene.recordNames == [])
        }

        @Test func `begin anew for a file that has changed`() async throws {
            let scene = try self.scene()
            try await self.interrupt(scene)
            let changed = streamingBytes(500_000)
            try changed.write(to: scene.file)
            try await scene.upload(self.resumption(scene))
            scene.expectWhole(changed)
            #expect(scene.server.uploads.count == 2)
            #expect(try scene.recordNames == [])
        }

        @Test func `begin anew for a file of the same size that was written later`() async throws {
            let scene = try self.scene()
            try await self.interrupt(scene)
            let changed = Data(scene.content.reversed())
            try changed.write(to: scene.file)
            let later = Date(timeIntervalSinceNow: 10)
            try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: scene.file.path)
            try await scene.upload(self.resumption(scene))
            scene.expectWhole(changed)
        }

        @Test func `begin anew to another URL, and by another method`() async throws {
            let scene = try self.scene()
            try await self.interrupt(scene)
            let other = FixtureText("files?a=b") { $0.method = .post }
            try await scene.upload(self.resumption(scene), other)
            try await scene.upload(self.resumption(scene), UploadScene.call(.put))
            #expect(scene.server.uploads.map(\.isComplete) == [false, true, true])
            #expect(try scene.recordNames.count == 1)
            try await scene.upload(self.resumption(scene))
            #expect(scene.server.uploads.map(\.isComplete) == [true, true, true])
        }

        @Test func `begin anew where the server has forgotten them`() async throws {
            let scene = try self.scene()
            try await self.interrupt(scene)
            scene.server.forgetUploads()
            try await scene.upload(self.resumption(scene))
            #expect(scene.server.uploads.last?.content == scene.content)
            #expect(try scene.recordNames == [])
        }

        /// Damages a record.
        enum Damage: CaseIterable {
            case gone, empty, otherVersion, otherTarget, otherKind, noURL, otherLength
        }

        @Test(arguments: Damage.allCases)
        func `begin anew where the record is damaged`(damage: Damage) async throws {
            let scene = try self.scene()
            try await self.interrupt(scene)
            let file = try self.record(scene)
            let text = try String(contentsOf: file, encoding: .utf8)
            var record = try JSONDecoder().decode(UploadRecord.self, from: Data(text.utf8))
            switch damage {
            case .gone: try FileManager.default.removeItem(at: file)
            case .empty: try Data().write(to: file)
            case .otherVersion: record.version = 2
            case .otherTarget: record = record.with(target: "other")
            case .otherKind: record = record.with(dialect: .tus)
            case .noURL: record = record.with(location: "no URL")
            case .otherLength: record = record.with(source: .file(path: scene.file.path, size: 5, modified: 0))
            }
            if damage != .gone, damage != .empty { try JSONEncoder().encode(record).write(to: file) }
            try await scene.upload(self.resumption(scene))
            scene.expectWhole()
            #expect(scene.server.uploads.count == 2)
            #expect(try scene.recordNames == [])
        }

        @Test func `use a record one at a time`() async throws {
            let (scene, gate) = (try self.scene(), LoopbackGate())
            let resumption = self.resumption(scene)
            try await self.interrupt(scene)
            scene.server.answerNext("HEAD", .status(204).held(by: gate))
            let client = scene.client()
            let first = Task { try await scene.upload(resumption, with: client) }
            await gate.waitUntilReached()
            // Goes without the record that the first one has.
            try await scene.upload(resumption)
            #expect(scene.server.uploads.count == 2)
            #expect(scene.server.uploads.last?.content == scene.content)
            first.cancel()
            _ = await first.result
            gate.open()
            try await scene.upload(resumption)
            #expect(scene.server.uploads.map(\.isComplete) == [true, true])
        }

        @Test func `leave nothing of an upload that needs no record`() async throws {
            let scene = try self.scene()
            try await scene.upload(self.resumption(scene))
            #expect(try scene.recordNames == [])
            scene.server.announce { _ in nil }
            scene.server.cut(after: 400_000)
            _ = await streamingFailure { try await scene.upload(self.resumption(scene)) }
            #expect(try scene.recordNames == [])
        }

        @Test func `need a place for a folder, and content that is known again`() async throws {
            let scene = try self.scene()
            let nowhere = scene.file.appending(path: "nowhere")
            let failed = await streamingFailure { try await scene.upload(.automatic(in: nowhere)) }
            #expect(failed?.code == .fileFailed)
            let stream = UploadCallFixture(
                body: .stream(.seekable(scene.content)), uploadResumption: self.resumption(scene))
            let refused = await streamingFailure { _ = try await scene.client().send(stream) }
            #expect(refused?.code == .unsupported)
            #expect(scene.methods.isEmpty)
            #expect(try scene.recordNames == [])
        }

        @Test func `write nothing when they are over, however late a transport tells of something`() async throws {
            let scene = try self.scene()
            let request = HTTPRequest(method: .post, url: try HTTPURL(scene.server.url), body: .file(scene.file))
            let requests = UploadRequests(
                original: request, credentials: CredentialFields(), source: try UploadSource(request.body))
            let fields: HTTPFields = ["Location": "/uploads/0", "Upload-Draft-Interop-Version": "8"]
            let event = ExchangeEvent.interimResponse(HTTPResponse.Head(status: 104, headers: fields))
            let first = try await ResumableUpload.open(requests, .draft(version: 8), chunkSize: nil, in: scene.records)
            await first.close(isOver: true)
            let second = try await ResumableUpload.open(requests, .draft(version: 8), chunkSize: nil, in: scene.records)
            _ = first.note(event, from: request.url, in: 1)
            await first.close(isOver: false)
            let record = try self.record(scene)
            #expect(!FileManager.default.fileExists(atPath: record.path))
            _ = second.note(event, from: request.url, in: 1)
            await second.close(isOver: false)
            #expect(FileManager.default.fileExists(atPath: record.path))
        }

        @Test(arguments: [false, true]) func `are recorded in a folder that is made, with those it lies in`(
            isTus: Bool
        ) async throws {
            let scene = try self.scene(isTus: isTus)
            try FileManager.default.removeItem(at: scene.records)
            let deep = scene.records.appending(path: "a/b", directoryHint: .isDirectory)
            let resumption: UploadResumption = isTus ? .tus(in: deep) : .automatic(in: deep)
            scene.server.cut(after: 400_000)
            for _ in 0..<4 { scene.server.answerNext("HEAD", .close) }
            _ = await streamingFailure { try await scene.upload(resumption) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: deep.path).count == 1)
            for folder in [scene.records, deep.deletingLastPathComponent(), deep] {
                let permissions = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions]
                #expect(permissions as? Int == 0o700)
            }
            try await scene.upload(resumption)
            scene.expectWhole()
        }

        @Test func `that began over https are not gone on with over http`() throws {
            let source = UploadSource.Identity.bytes("digest")
            let record = UploadRecord(
                target: "t", location: "http://a.test/1", dialect: .tus, length: 1, source: source)
            #expect(record.location(for: "t", source, .tus, isSecure: true) == nil)
            #expect(record.location(for: "t", source, .tus, isSecure: false)?.string == "http://a.test/1")
        }

        @Test func `is for this user alone`() async throws {
            let scene = try self.scene()
            try await self.interrupt(scene)
            let folder = try self.record(scene).deletingLastPathComponent()
            let permissions = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions]
            #expect(permissions as? Int == 0o700)
        }
    }

    extension UploadRecord {
        /// The same with something else in it.
        fileprivate func with(
            target: String? = nil, location: String? = nil, dialect: UploadDialect? = nil,
            source: UploadSource.Identity? = nil
        ) -> UploadRecord {
            UploadRecord(
                target: target ?? self.target, location: location ?? self.location, dialect: dialect ?? self.dialect,
                length: self.length, source: source ?? self.source)
        }
    }
#endif
