internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

#if os(Linux)
    @Suite("Uploads with tus (G16, G17)", .timeLimit(.minutes(60)), .paced)
    struct TusUploadTests {
        private let scene: UploadScene

        init() throws {
            self.scene = try UploadScene(.tus)
        }

        private var server: ResumableUploadServer { self.scene.server }

        @Test func `are created, and sent then`() async throws {
            let response = try await self.scene.client().response(
                for: UploadCallFixture(body: .file(self.scene.file), uploadResumption: .tus))
            #expect(response.head.status == 204)
            self.scene.expectWhole()
            #expect(self.scene.methods == ["POST", "PATCH"])
            let creation = try #require(self.server.requests.first)
            #expect(creation.headers["Upload-Length"] == "1000000")
            #expect(creation.headers["Content-Type"] == nil)
            #expect(creation.headers["Content-Length"] == "0")
        }

        @Test func `go on where the connection was lost`() async throws {
            self.server.cut(after: 100_000, 1, 0, 250_000)
            try await self.scene.upload(.tus)
            self.scene.expectWhole()
            let methods = ["POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"]
            #expect(self.scene.methods == methods)
        }

        @Test(arguments: [UInt64](0..<10), [false, true])
        func `have the right bytes, wherever connections are lost`(seed: UInt64, sendsWithCreation: Bool) async throws {
            var random = SplitMix64(seed: seed)
            // What is lost with the creation is not resumed.
            let first = sendsWithCreation ? [200_000] : []
            self.server.cut(after: first + (0..<15).map { _ in Int.random(in: 1...60_000, using: &random) })
            let chunk = Int64.random(in: 50_000...200_000, using: &random)
            let resumption = UploadResumption.tus(
                in: nil, chunkSize: Bool.random(using: &random) ? chunk : 150_000, sendsWithCreation: sendsWithCreation)
            try await self.scene.upload(resumption)
            self.scene.expectWhole()
            #expect(self.server.uploads.count == 1)
        }

        @Test func `send content with the creation where they are told to`() async throws {
            try await self.scene.upload(.tus(in: nil, sendsWithCreation: true))
            self.scene.expectWhole()
            #expect(self.scene.methods == ["POST"])
        }

        @Test func `go in chunks`() async throws {
            try await self.scene.upload(.tus(in: nil, chunkSize: 300_000))
            self.scene.expectWhole()
            #expect(self.scene.methods == ["POST", "PATCH", "PATCH", "PATCH", "PATCH"])
            #expect(
                self.server.requests.compactMap { $0.headers["Upload-Offset"] } == ["0", "300000", "600000", "900000"])
            #expect(self.scene.sent.last == TransferProgress(bytes: 1_000_000, total: 1_000_000))
            #expect(self.scene.sent.map(\.bytes) == self.scene.sent.map(\.bytes).sorted())
        }

        @Test func `tell the server what the content is`() async throws {
            try await self.scene.upload(.tus(in: nil, metadata: ["b": "ü", "a": ""]))
            let text = try #require(self.server.requests.first?.headers["Upload-Metadata"])
            let (name, type) = (
                Data("file.txt".utf8).base64EncodedString(), Data("text/plain".utf8).base64EncodedString()
            )
            #expect(text == "a,b w7w=,filename \(name),filetype \(type)")
        }

        @Test(arguments: ["a b", "a,b", "", "ü"])
        func `refuse a key that cannot be sent`(key: String) async throws {
            let error = await streamingFailure { try await self.scene.upload(.tus(in: nil, metadata: [key: "a"])) }
            #expect(error?.code == .invalidRequest)
            #expect(self.scene.methods.isEmpty)
        }

        @Test func `refuse what cannot be`() async throws {
            let chunks = await streamingFailure { try await self.scene.upload(.tus(in: nil, chunkSize: 0)) }
            #expect(chunks?.code == .unsupported)
            let stream = UploadCallFixture(body: .stream(.seekable(self.scene.content)), uploadResumption: .tus)
            let length = await streamingFailure { _ = try await self.scene.client().send(stream) }
            #expect(length?.code == .unsupported)
            #expect(self.scene.methods.isEmpty)
        }

        @Test(arguments: [
            LoopbackReply.status(201), .status(201, headers: ["Location": "http://"]),
            .status(201, headers: ["Location": "/uploads/0", "Upload-Offset": "5"]),
        ])
        func `believe no creation that cannot be right`(reply: LoopbackReply) async throws {
            self.server.answerNext("POST", reply)
            let error = await streamingFailure { try await self.scene.upload(.tus) }
            #expect(error?.code == .invalidResponse)
            #expect(self.scene.methods == ["POST"])
        }

        @Test(arguments: [
            LoopbackReply.status(200), .status(200, headers: ["Upload-Offset": "1000001"]),
            .status(200, headers: ["Upload-Offset": "100000", "Upload-Length": "5"]),
        ])
        func `believe no server that cannot be right`(reply: LoopbackReply) async throws {
            self.server.cut(after: 100_000)
            self.server.answerNext("HEAD", reply)
            let error = await streamingFailure { try await self.scene.upload(.tus) }
            #expect(error?.code == .invalidResponse)
        }

        @Test(arguments: [409, 423, 500])
        func `ask again where the server is not ready`(status: Int) async throws {
            self.server.answerNext("PATCH", .status(HTTPStatus(rawValue: status)))
            self.server.answerNext("HEAD", .status(HTTPStatus(rawValue: status)))
            try await self.scene.upload(.tus)
            self.scene.expectWhole()
            #expect(self.scene.methods == ["POST", "PATCH", "HEAD", "HEAD", "PATCH"])
        }

        @Test func `are not created twice with content`() async throws {
            self.server.answerNext("POST", .close)
            let error = await streamingFailure {
                try await self.scene.upload(.tus(in: nil, sendsWithCreation: true))
            }
            #expect(error?.code == .connectionLost)
            #expect(self.scene.methods == ["POST"])
        }

        /// Answers to a creation, and how long is waited after each.
        private static let failedCreations: [(LoopbackReply, [Duration])] = [
            (.close, []), (.status(503), [.seconds(1)]), (.status(429, headers: ["Retry-After": "2"]), [.seconds(2)]),
            (.status(500), [.seconds(1)]),
        ]

        @Test(arguments: failedCreations.indices, [true, false])
        func `a creation without content is repeated`(index: Int, isOfNothing: Bool) async throws {
            let (reply, delays) = Self.failedCreations[index]
            self.server.answerNext("POST", reply)
            let body: RequestBody = isOfNothing ? .none : .file(self.scene.file)
            _ = try await self.scene.client().send(UploadCallFixture(body: body, uploadResumption: .tus))
            self.scene.expectWhole(isOfNothing ? Data() : nil)
            #expect(self.scene.methods == ["POST", "POST"] + (isOfNothing ? [] : ["PATCH"]))
            #expect(self.scene.clock.sleeps == delays)
        }

        @Test func `a creation that always fails is given up after waits`() async throws {
            for _ in 0..<9 { self.server.answerNext("POST", .close) }
            let error = await streamingFailure { try await self.scene.upload(.tus) }
            #expect(error?.code == .connectionLost)
            #expect(self.scene.methods == Array(repeating: "POST", count: 5))
            #expect(self.scene.clock.sleeps == [.seconds(1), .seconds(3), .seconds(5)])
        }

        @Test func `deliver what a server refuses them with`() async throws {
            self.server.answerNext("POST", .text("too large", status: 413))
            let error = await streamingFailure { try await self.scene.upload(.tus) }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.context.body == Data("too large".utf8))
        }

        @Test func `may be of nothing`() async throws {
            let call = UploadCallFixture(body: .none, uploadResumption: .tus)
            _ = try await self.scene.client().send(call)
            #expect(self.server.uploads.map(\.length) == [0])
            #expect(self.scene.methods == ["POST"])
        }

        @Test func `are created with a POST whatever the method is`() async throws {
            try await self.scene.upload(.tus, UploadScene.call(.put))
            self.scene.expectWhole()
            #expect(self.scene.methods == ["POST", "PATCH"])
        }

        @Test func `go on over URLSession too`() async throws {
            self.server.cut(after: 100_000)
            let transport = URLSessionTransport()
            try await self.scene.upload(.tus, with: self.scene.client { $0.transport = transport })
            self.scene.expectWhole()
            transport.shutdown()
        }
    }
#endif
