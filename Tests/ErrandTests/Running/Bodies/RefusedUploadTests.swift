internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

#if os(Linux)
    @Suite("Uploads whose offer a server refuses (G16, G17)", .timeLimit(.minutes(60)), .paced)
    struct RefusedUploadTests {
        /// The versions that were offered, in their order; an empty text for none.
        private static func offers(in scene: UploadScene) -> [String] {
            scene.server.requests.filter { $0.path == "/files" }
                .map { $0.headers["Upload-Draft-Interop-Version"] ?? "" }
        }

        // MARK: - Published servers

        @Test(arguments: [ResumableUploadServer.Kind.swiftNIOExtras, .tusd])
        func `go on with a published server of the draft`(kind: ResumableUploadServer.Kind) async throws {
            let scene = try UploadScene(kind)
            scene.server.cut(after: 100_000, 200_000)
            try await scene.upload()
            scene.expectWhole()
            #expect(Self.offers(in: scene) == ["8", "6"])
            #expect(scene.methods == ["POST", "POST", "HEAD", "PATCH", "HEAD", "PATCH"])
        }

        @Test(
            arguments: [ResumableUploadServer.Kind.swiftNIOExtras, .tusd], [UInt64](0..<4))
        func `have the right bytes there, wherever connections are lost`(
            kind: ResumableUploadServer.Kind, seed: UInt64
        ) async throws {
            var random = SplitMix64(seed: seed)
            let scene = try UploadScene(kind)
            scene.server.cut(after: (0..<20).map { _ in Int.random(in: 1...60_000, using: &random) })
            try await scene.upload()
            scene.expectWhole()
        }

        @Test(arguments: 3...8)
        func `reach each of them from every version`(version: Int) async throws {
            for kind in [ResumableUploadServer.Kind.swiftNIOExtras, .tusd] {
                let scene = try UploadScene(kind)
                scene.server.cut(after: 100_000)
                try await scene.upload(.automatic(in: nil, interopVersion: version))
                scene.expectWhole()
            }
        }

        @Test func `go on in a later call with the version that was accepted`() async throws {
            let scene = try UploadScene(.tusd)
            scene.server.cut(after: 100_000)
            scene.server.answerNext("HEAD", .status(401))
            _ = await streamingFailure { try await scene.upload(.automatic(in: scene.records)) }
            try await scene.upload(.automatic(in: scene.records))
            scene.expectWhole()
            #expect(Self.offers(in: scene) == ["8", "6"])
            #expect(try scene.recordNames.isEmpty)
        }

        // MARK: - Servers that know no offer

        /// A server that refuses each request with an offer in the same way.
        private static func server(refusing reply: LoopbackReply) throws -> LoopbackServer {
            let server = try LoopbackServer()
            server.add(
                .early("POST", "/files") { request in
                    if request.headers["Upload-Draft-Interop-Version"] != nil { return reply }
                    return LoopbackReply(
                        .receive(atMost: .max) { content in
                            LoopbackReply.text("\(content.bytes.count) bytes").steps
                        })
                })
            return server
        }

        @Test(arguments: [400, 412, 417, 501])
        func `are sent as an ordinary request at last`(status: Int) async throws {
            let server = try Self.server(refusing: .text("what is that?", status: HTTPStatus(rawValue: status)))
            defer { server.stop() }
            let client = Client(baseURL: server.baseURL) { $0.options = $0.options.withoutTimeout() }
            let body = RequestBody.bytes(streamingBytes(300_000))
            let call = UploadCallFixture(body: body, uploadResumption: .automatic)
            #expect(try await client.send(call) == "300000 bytes")
            await client.shutdown()
        }

        @Test func `end with what the server says to the ordinary request`() async throws {
            let scene = try UploadScene()
            for word in ["first", "second", "third"] { scene.server.answerNext("POST", .text(word, status: 400)) }
            let error = await streamingFailure { try await scene.upload() }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.context.body == Data("third".utf8))
            #expect(Self.offers(in: scene) == ["8", "6", ""])
        }

        @Test(arguments: [401, 403, 404, 409, 413, 415, 422, 429, 500, 503])
        func `are not sent again for a status with another reason`(status: Int) async throws {
            let scene = try UploadScene()
            scene.server.answerNext("POST", .text("no", status: HTTPStatus(rawValue: status)))
            let error = await streamingFailure { try await scene.upload() }
            #expect(error?.code == .unacceptableStatus)
            #expect(scene.methods == ["POST"])
        }

        @Test func `are not sent again for a condition that failed`() async throws {
            let scene = try UploadScene()
            scene.server.answerNext("POST", .status(412))
            let error = await streamingFailure {
                try await scene.upload(.automatic, UploadScene.call { $0.headers = ["If-Match": "\"a\""] })
            }
            #expect(error?.code == .unacceptableStatus)
            #expect(scene.methods == ["POST"])
        }

        @Test func `carry no field of an upload when they are ordinary`() async throws {
            let scene = try UploadScene()
            for _ in 0..<2 { scene.server.answerNext("POST", .status(400)) }
            try await scene.upload()
            scene.expectWhole()
            let last = try #require(scene.server.requests.last)
            #expect(!last.headers.contains { $0.name.lowercased().hasPrefix("upload-") })
        }

        @Test func `renew a credential between two offers`() async throws {
            let scene = try UploadScene()
            scene.server.answerNext("POST", .status(400))
            scene.server.answerNext("POST", .status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]))
            let client = scene.client { $0.credentials.authenticator = StreamingLogin() }
            try await scene.upload(with: client)
            scene.expectWhole()
            #expect(scene.methods == ["POST", "POST", "POST"])
        }
    }
#endif
