internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Uploads that are disturbed, or told too much (G14, G16, G17)", .timeLimit(.minutes(60)), .paced)
    struct UploadTroubleTests {
        private func scene(isTus: Bool = false) throws -> UploadScene {
            try UploadScene(isTus ? .tus : .draft(interopVersion: 8))
        }

        private func resumption(_ scene: UploadScene, isTus: Bool = false) -> UploadResumption {
            isTus ? .tus(in: scene.records) : .automatic(in: scene.records)
        }

        // MARK: - The file

        /// What becomes of a file.
        enum Change: Sendable, CaseIterable {
            case rewritten, shortened, extended, removed

            func apply(to file: URL) throws {
                var content = try Data(contentsOf: file)
                switch self {
                case .rewritten: content[content.count - 1] ^= 1
                case .shortened: content = content.prefix(200_000)
                case .extended: content += content
                case .removed: return try FileManager.default.removeItem(at: file)
                }
                try content.write(to: file)
            }
        }

        @Test(arguments: Change.allCases, [false, true])
        func `end when the file changes while the request with its rest waits`(
            change: Change, isTus: Bool
        ) async throws {
            let scene = try self.scene(isTus: isTus)
            scene.server.cut(after: 100_000)
            let interceptor = FixtureInterceptor { request, _, next in
                if request.headers["Upload-Offset"] == "100000" { try change.apply(to: scene.file) }
                return try await next(request)
            }
            let resumption = self.resumption(scene, isTus: isTus)
            let error = await streamingFailure {
                try await scene.upload(resumption, UploadScene.call { $0.options = .interceptors([interceptor]) })
            }
            #expect(error?.code == .fileFailed)
            #expect(error?.message == "the file \"file.txt\" has changed since a part of it was uploaded")
            // What the server has may be of both: the next call leaves it alone.
            try scene.content.write(to: scene.file)
            try await scene.upload(resumption)
            #expect(scene.server.uploads.count == 2)
            #expect(scene.server.uploads.last?.isComplete == true)
            #expect(scene.server.uploads.last?.content == scene.content)
            #expect(try scene.recordNames == [])
        }

        @Test func `are not begun anew with another file than a part was sent of`() async throws {
            let scene = try self.scene()
            scene.server.cut(after: 100_000)
            // The server has forgotten it, so that it would have to be begun anew.
            scene.server.answerNext("HEAD", .status(404))
            let interceptor = FixtureInterceptor { request, _, next in
                if request.method == .head { try Change.rewritten.apply(to: scene.file) }
                return try await next(request)
            }
            let error = await streamingFailure {
                try await scene.upload(.automatic, UploadScene.call(.put) { $0.options = .interceptors([interceptor]) })
            }
            #expect(error?.code == .fileFailed)
            #expect(scene.methods == ["PUT", "HEAD"])
        }

        @Test func `are over when the server has all of them and has failed, and leave no record`() async throws {
            let scene = try self.scene()
            scene.server.answerWhenComplete(.text("it failed", status: 500))
            let error = await streamingFailure { try await scene.upload(self.resumption(scene)) }
            #expect(error?.context.body == Data("it failed".utf8))
            #expect(scene.methods == ["POST", "HEAD"])
            #expect(try scene.recordNames == [])
            // So the next call begins anew.
            scene.server.answerWhenComplete(.text("uploaded"))
            #expect(try await scene.upload(self.resumption(scene)) == "uploaded")
            #expect(scene.methods == ["POST", "HEAD", "POST"])
        }

        // MARK: - The caller's fields

        private static let fields: HTTPFields = [
            "Upload-Offset": "5", "Upload-Length": "7", "Upload-Complete": "?0", "Upload-Metadata": "own b3du",
            "Upload-Draft-Interop-Version": "3", "Tus-Resumable": "0.2.2", "Tus-Extension": "own",
            "Idempotency-Key": "\"own\"",
        ]

        @Test(arguments: [false, true])
        func `say themselves what they are, and send a key with the beginning only`(isTus: Bool) async throws {
            let scene = try self.scene(isTus: isTus)
            scene.server.cut(after: 100_000)
            try await scene.upload(self.resumption(scene, isTus: isTus), UploadScene.call { $0.headers = Self.fields })
            scene.expectWhole()
            let requests = scene.server.requests
            #expect(requests.first?.headers["Idempotency-Key"] == "\"own\"")
            #expect(requests.dropFirst().allSatisfy { $0.headers["Idempotency-Key"] == nil })
            for request in requests {
                #expect(["5", nil].contains(request.headers["Upload-Offset"]) == (request.method != "PATCH"))
                #expect(request.headers["Upload-Offset"] != "5")
                #expect(["1000000", nil].contains(request.headers["Upload-Length"]))
                #expect(request.headers["Upload-Complete"] != "?0")
                #expect(request.headers["Upload-Metadata"]?.contains("own") != true)
                #expect([isTus ? nil : "8"].contains(request.headers["Upload-Draft-Interop-Version"]))
                #expect([isTus ? "1.0.0" : nil].contains(request.headers["Tus-Resumable"]))
                #expect(request.headers["Tus-Extension"] == nil)
            }
        }

        @Test func `that are not resumed send the fields as they are`() async throws {
            let scene = try self.scene()
            scene.server.answerNext("POST", .text("uploaded"))
            try await scene.upload(.never, UploadScene.call { $0.headers = Self.fields })
            let request = try #require(scene.server.requests.first)
            for field in Self.fields { #expect(request.headers[field.name] == field.value) }
        }

        @Test func `begin anew with the same key`() async throws {
            let scene = try self.scene()
            scene.server.cut(after: 100_000)
            scene.server.answerNext("HEAD", .status(404))
            try await scene.upload(.automatic, UploadScene.call(.put) { $0.headers = ["Idempotency-Key": "\"own\""] })
            #expect(scene.methods == ["PUT", "HEAD", "PUT"])
            #expect(scene.server.requests.map { $0.headers["Idempotency-Key"] } == ["\"own\"", nil, "\"own\""])
        }

        // MARK: - Credentials

        private static let challenge = LoopbackReply.status(401, headers: ["WWW-Authenticate": "Bearer"])

        @Test func `may find on each request that the credential has expired`() async throws {
            let (scene, login) = (try self.scene(), CountingLogin())
            scene.server.cut(after: 100_000)
            for method in ["POST", "HEAD", "PATCH"] { scene.server.answerNext(method, Self.challenge) }
            let client = scene.client { $0.credentials.authenticator = login }
            #expect(try await scene.upload(self.resumption(scene), with: client) == "uploaded")
            scene.expectWhole()
            #expect(scene.methods == ["POST", "POST", "HEAD", "HEAD", "PATCH", "PATCH"])
            let sent = scene.server.requests.map { $0.headers["Authorization"] }
            #expect(sent == [nil, "Bearer 1", "Bearer 1", "Bearer 2", "Bearer 2", "Bearer 3"])
        }

        @Test func `end where a renewed credential is refused, and go on with the next call`() async throws {
            let (scene, login) = (try self.scene(), CountingLogin())
            scene.server.cut(after: 100_000)
            for _ in 0..<3 { scene.server.answerNext("PATCH", Self.challenge) }
            let client = scene.client { $0.credentials.authenticator = login }
            let error = await streamingFailure { try await scene.upload(self.resumption(scene), with: client) }
            #expect(error?.context.status == .unauthorized)
            #expect(scene.methods == ["POST", "HEAD", "PATCH", "PATCH", "PATCH"])
            #expect(try scene.recordNames.count == 1)
            try await scene.upload(self.resumption(scene), with: client)
            #expect(Array(scene.methods.dropFirst(5)) == ["HEAD", "PATCH"])
            scene.expectWhole()
            #expect(scene.server.uploads.count == 1)
        }

        // MARK: - Secure connections

        @Test func `end when a secure connection cannot be made, and keep the record`() async throws {
            let (scene, other) = (try self.scene(), try LoopbackServer())
            scene.server.cut(after: 100_000)
            // It speaks no TLS: the handshake breaks.
            scene.server.announce { _ in
                ["Location": "https://127.0.0.1:\(other.port)/uploads/0", "Upload-Draft-Interop-Version": "8"]
            }
            let error = await streamingFailure { try await scene.upload(self.resumption(scene)) }
            #expect(error?.code == .tlsFailed)
            #expect(scene.methods == ["POST"])
            #expect(other.receivedCount == 0)
            #expect(try scene.recordNames.count == 1)
            other.stop()
        }

        @Test(arguments: ["HEAD", "PATCH"])
        func `go on with the next call after a handshake has broken`(method: String) async throws {
            let scene = try self.scene()
            scene.server.cut(after: 100_000)
            let isBroken = Locked(true)
            let breaking = FixtureInterceptor { request, _, next in
                guard request.method.rawValue == method, isBroken.withLock({ $0 }) else {
                    return try await next(request)
                }
                throw ErrandError(.tlsFailed, "the handshake has broken")
            }
            let call = UploadScene.call { $0.options = .interceptors([breaking]) }
            let error = await streamingFailure { try await scene.upload(self.resumption(scene), call) }
            #expect(error?.code == .tlsFailed)
            #expect(try scene.recordNames.count == 1)
            isBroken.withLock { $0 = false }
            let before = scene.methods.count
            try await scene.upload(self.resumption(scene), call)
            #expect(Array(scene.methods.dropFirst(before)) == ["HEAD", "PATCH"])
            scene.expectWhole()
            #expect(scene.server.uploads.count == 1)
            #expect(try scene.recordNames == [])
        }
    }

    /// Has a new credential each time.
    private final class CountingLogin: Authenticator {
        private let count = Locked(0)

        func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
            .bearer("\(self.count.withLock { $0 += 1; return $0 })")
        }
    }
#endif
