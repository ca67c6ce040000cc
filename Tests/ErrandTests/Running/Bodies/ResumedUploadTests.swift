internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

#if os(Linux)
    @Suite("Uploads that are resumed (G16, G17)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct ResumedUploadTests {
        private let scene: UploadScene

        init() throws {
            self.scene = try UploadScene()
        }

        private var server: ResumableUploadServer { self.scene.server }

        // MARK: - Going on

        @Test(arguments: 3...8)
        func `go on where the connection was lost, in each version`(version: Int) async throws {
            let scene = try UploadScene(.draft(interopVersion: version))
            scene.server.cut(after: 100_000, 1, 0, 250_000)
            let client = scene.client()
            let text = try await scene.upload(with: client)
            #expect(text == "uploaded")
            scene.expectWhole()
            #expect(scene.methods == ["POST", "HEAD", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
            let offsets = scene.server.requests.compactMap { $0.headers["Upload-Offset"] }
            #expect(offsets == ["100000", "100001", "100001", "350001"])
            await fixtureUntil { await client.record.count == 0 }
            #expect(await client.scheduler.activeCount == 0)
        }

        @Test(arguments: 3...8)
        func `offer the version that they are told to`(version: Int) async throws {
            let scene = try UploadScene(.draft(interopVersion: version))
            scene.server.cut(after: 100_000)
            try await scene.upload(.automatic(in: nil, interopVersion: version))
            scene.expectWhole()
            let first = try #require(scene.server.requests.first)
            #expect(first.headers["Upload-Draft-Interop-Version"] == "\(version)")
            #expect(first.headers["Upload-Complete"] == (version == 3 ? nil : "?1"))
            #expect(first.headers["Upload-Incomplete"] == (version == 3 ? "?0" : nil))
            #expect(first.headers["Upload-Length"] == (version < 6 ? nil : "1000000"))
        }

        @Test(arguments: [2, 9, 0, -1])
        func `refuse a version that there is not`(version: Int) async throws {
            let error = await streamingFailure {
                try await self.scene.upload(.automatic(in: nil, interopVersion: version))
            }
            #expect(error?.code == .unsupported)
            #expect(self.scene.methods.isEmpty)
        }

        private static let bodies: [@Sendable (UploadScene) -> RequestBody] = [
            { .bytes($0.content) }, { .file($0.file) }, { .stream(.seekable($0.content)) },
            { .stream(.seekable($0.content), length: Int64($0.content.count)) },
            { RequestBody.bytes($0.content).gzipped(level: 1) },
        ]

        @Test(arguments: bodies.indices, [UInt64](0..<8))
        func `have the right bytes, wherever connections are lost`(kind: Int, seed: UInt64) async throws {
            var random = SplitMix64(seed: seed)
            self.server.cut(after: (0..<20).map { _ in Int.random(in: 1...60_000, using: &random) })
            let call = UploadCallFixture(body: Self.bodies[kind](self.scene), uploadResumption: .automatic)
            let text = try await self.scene.client().send(call)
            #expect(text == "uploaded")
            guard kind == 4 else { return self.scene.expectWhole() }
            self.scene.expectWhole(try GzipEncoder(level: 1).encode(self.scene.content, isLast: true))
        }

        @Test func `need no more than one request where no connection is lost`() async throws {
            try await self.scene.upload()
            self.scene.expectWhole()
            #expect(self.scene.methods == ["POST"])
        }

        @Test func `send nothing of the kind without being told to`() async throws {
            self.server.cut(after: 100_000)
            let error = await streamingFailure { try await self.scene.upload(.never) }
            #expect(error?.code == .connectionLost)
            #expect(self.scene.methods == ["POST"])
            #expect(self.server.requests.first?.headers["Upload-Complete"] == nil)
        }

        @Test func `tell of the whole in the progress`() async throws {
            self.server.cut(after: 300_000)
            try await self.scene.upload()
            let size = Int64(self.scene.content.count)
            #expect(self.scene.sent.allSatisfy { $0.total == size && $0.bytes <= size })
            #expect(self.scene.sent.last?.bytes == size)
            // Nothing of what goes on is told from its beginning.
            let rest = self.scene.sent.drop { $0.bytes < 300_000 }
            #expect(rest.allSatisfy { $0.bytes >= 300_000 })
        }

        @Test func `tell accessories where the upload is`() async throws {
            try await self.scene.upload()
            let interims = self.scene.recorder.entries.compactMap { entry -> HTTPStatus? in
                if case .event(.interimResponse(let head)) = entry.call { head.status } else { nil }
            }
            #expect(interims == [104])
        }

        @Test func `keep to the most that the server takes in one request`() async throws {
            self.server.announce { fields in
                var fields = fields
                fields.append("Upload-Limit", "max-size=10000000, max-append-size=300000")
                return fields
            }
            self.server.cut(after: 100_000)
            #expect(try await self.scene.upload() == "uploaded")
            self.scene.expectWhole()
            #expect(self.scene.methods == ["POST", "HEAD", "PATCH", "PATCH", "PATCH"])
            #expect(
                self.server.requests.suffix(3).map { $0.headers["Upload-Complete"] } == ["?0", "?0", "?1"])
        }

        // MARK: - When they cannot

        private static let announcements: [@Sendable (LoopbackFields) -> LoopbackFields?] = [
            { _ in nil },
            { LoopbackFields($0.filter { $0.name != "Location" }) },
            { LoopbackFields($0.filter { $0.name == "Location" }) },
            { ["Location": $0["Location"] ?? "", "Upload-Draft-Interop-Version": "9"] },
            { ["Location": $0["Location"] ?? "", "Upload-Draft-Interop-Version": "2"] },
        ]

        @Test(arguments: announcements.indices)
        func `fail as any other without an offer that is known`(index: Int) async throws {
            self.server.announce(Self.announcements[index])
            self.server.cut(after: 100_000)
            let error = await streamingFailure { try await self.scene.upload() }
            #expect(error?.code == .connectionLost)
            #expect(self.scene.methods == ["POST"])
        }

        @Test func `give up when nothing is gained, after waits`() async throws {
            self.server.cut(after: [100_000] + Array(repeating: 0, count: 20))
            let error = await streamingFailure { try await self.scene.upload() }
            #expect(error?.code == .connectionLost)
            #expect(self.scene.clock.sleeps == [.seconds(1), .seconds(3), .seconds(5)])
            #expect(self.scene.methods.count { $0 == "PATCH" } == 5)
        }

        @Test(arguments: [
            LoopbackReply.status(204), .status(204, headers: ["Upload-Offset": "1000001"]),
            .status(204, headers: ["Upload-Offset": "100000", "Upload-Length": "5"]),
            .status(204, headers: ["Upload-Offset": "99999999999999999999"]),
            .status(200, headers: ["Upload-Offset": "100000", "Upload-Complete": "?1"]),
        ])
        func `believe no server that cannot be right`(reply: LoopbackReply) async throws {
            self.server.cut(after: 100_000)
            self.server.answerNext("HEAD", reply)
            let error = await streamingFailure { try await self.scene.upload() }
            #expect(error?.code == .invalidResponse)
            #expect(self.scene.methods == ["POST", "HEAD"])
        }

        @Test func `go on with a server that has less than it was sent, and not with one that loses what it had`()
            async throws
        {
            self.server.cut(after: 100_000, 50_000)
            self.server.answerNext("HEAD", .status(204, headers: ["Upload-Offset": "100000"]))
            self.server.answerNext("HEAD", .status(204, headers: ["Upload-Offset": "90000"]))
            let error = await streamingFailure { try await self.scene.upload() }
            #expect(error?.code == .invalidResponse)
            #expect(error?.message.contains("fewer") == true)
        }

        @Test(arguments: [409, 423, 503])
        func `ask again after a while where the server is not ready`(status: Int) async throws {
            self.server.cut(after: 100_000)
            self.server.answerNext("HEAD", .status(HTTPStatus(rawValue: status)))
            self.server.answerNext("PATCH", .status(HTTPStatus(rawValue: status)))
            #expect(try await self.scene.upload() == "uploaded")
            self.scene.expectWhole()
            #expect(self.scene.methods == ["POST", "HEAD", "HEAD", "PATCH", "HEAD", "PATCH"])
            #expect(self.scene.clock.sleeps.first == .seconds(1))
        }

        @Test func `hold no slot while they wait`() async throws {
            let clock = TestClock()
            self.server.cut(after: 100_000)
            self.server.answerNext("HEAD", .status(423))
            let client = self.scene.client {
                $0.environment.clock = clock
                $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
            }
            async let text = self.scene.upload(with: client)
            await clock.waitForSleeper()
            #expect(await client.scheduler.activeCount == 0)
            clock.advance(by: .seconds(1))
            #expect(try await text == "uploaded")
            self.scene.expectWhole()
        }

        @Test func `take the response of a server that answers early`() async throws {
            self.server.answerNext("POST", .text("no, thanks"))
            #expect(try await self.scene.upload() == "no, thanks")
            #expect(self.scene.methods == ["POST"])
        }

        @Test func `deliver what a server refuses them with`() async throws {
            self.server.cut(after: 100_000)
            self.server.answerNext("PATCH", .text("too much", status: 413))
            let error = await streamingFailure { try await self.scene.upload() }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.context.body == Data("too much".utf8))
        }

        @Test func `go on when a server fails in between`() async throws {
            self.server.cut(after: 100_000)
            self.server.answerNext("PATCH", .status(500))
            #expect(try await self.scene.upload() == "uploaded")
            self.scene.expectWhole()
        }

        @Test func `end with what is known of a response that is lost`() async throws {
            self.server.answerWhenComplete(.close)
            let response = try await self.scene.client().response(
                for: UploadCallFixture(body: .file(self.scene.file), uploadResumption: .automatic))
            #expect(response.head.status == 204)
            #expect(response.value.isEmpty)
            #expect(response.head.headers["Upload-Complete"] == "?1")
            #expect(self.scene.methods == ["POST", "HEAD"])
            self.scene.expectWhole()
        }

        // MARK: - What is not sent twice

        @Test(arguments: [404, 410])
        func `begin anew once where the server has forgotten a part`(status: Int) async throws {
            let scene = try UploadScene(.tus)
            scene.server.cut(after: 10)
            scene.server.answerNext("HEAD", .status(HTTPStatus(rawValue: status)))
            try await scene.upload(.tus(in: nil, chunkSize: 600_000))
            #expect(scene.methods == ["POST", "PATCH", "HEAD", "POST", "PATCH", "PATCH"])
            scene.expectWhole()
            scene.server.cut(after: 10, 10)
            for _ in 0..<2 { scene.server.answerNext("HEAD", .status(HTTPStatus(rawValue: status))) }
            let error = await streamingFailure { try await scene.upload(.tus(in: nil, chunkSize: 600_000)) }
            #expect(error?.code == .invalidResponse)
        }

        @Test func `are not begun anew where the server may have had all`() async throws {
            self.server.answerWhenComplete(.close)
            self.server.answerNext("HEAD", .status(404))
            let error = await streamingFailure { try await self.scene.upload() }
            #expect(error?.code == .invalidResponse)
            #expect(error?.message.contains("not sent twice") == true)
            #expect(self.scene.methods == ["POST", "HEAD"])
        }

        @Test func `are begun anew with a method that may be sent twice`() async throws {
            self.server.cut(after: 10)
            self.server.answerNext("HEAD", .status(404))
            let text = try await self.scene.upload(.automatic, UploadScene.call(.put))
            #expect(text == "uploaded")
            #expect(self.scene.methods == ["PUT", "HEAD", "PUT"])
        }

        // MARK: - The content

        @Test func `end when the file changes meanwhile`() async throws {
            self.server.cut(after: 100_000)
            let file = self.scene.file
            let change = FixtureInterceptor { request, _, next in
                if request.method == .head { try Data("other".utf8).write(to: file) }
                return try await next(request)
            }
            let error = await streamingFailure {
                try await self.scene.upload(.automatic, UploadScene.call { $0.options = .interceptors([change]) })
            }
            #expect(error?.code == .fileFailed)
            #expect(error?.message.contains("file.txt") == true)
            #expect(self.scene.methods == ["POST", "HEAD"])
        }

        private static let refused: [@Sendable (UploadScene) -> RequestBody] = [
            { _ in .stream(BodyStream(isRepeatable: true) { { nil } }) }, { _ in .stream(BodyStream { { nil } }) },
            { RequestBody.file($0.file).gzipped() },
            {
                var form = MultipartForm()
                form.append("a", file: $0.file)
                return .multipart(form)
            },
        ]

        @Test(arguments: refused.indices)
        func `refuse content that cannot be read from an offset on`(index: Int) async throws {
            let call = UploadCallFixture(body: Self.refused[index](self.scene), uploadResumption: .automatic)
            let error = await streamingFailure { _ = try await self.scene.client().send(call) }
            #expect(error?.code == .unsupported)
            #expect(self.scene.methods.isEmpty)
        }

        @Test func `may be of nothing`() async throws {
            let call = UploadCallFixture(body: .none, uploadResumption: .automatic)
            #expect(try await self.scene.client().send(call) == "uploaded")
            self.scene.expectWhole(Data())
            #expect(self.server.requests.map { $0.headers["Upload-Complete"] } == [nil])
        }

        // MARK: - Secrets

        @Test func `leave secrets behind on the way to another origin`() async throws {
            let other = try LoopbackServer()
            defer { other.stop() }
            other.add(.early("POST", "/elsewhere") { _ in .redirect(to: self.server.url, status: 307) })
            self.server.cut(after: 100_000)
            let client = Client(baseURL: other.baseURL) {
                $0.options = $0.options.withoutTimeout()
                $0.headers = ["X-Api-Key": "client", "X-Plain": "1"]
                $0.credentials.secretHeaders = ["X-Api-Key"]
                $0.credentials.origin = .bearer("token")
            }
            let call = FixtureText("elsewhere") {
                $0.method = .post
                $0.headers = ["Authorization": "Bearer endpoint"]
            }
            #expect(
                try await client.upload(call, from: self.scene.file, options: .uploadResumption(.automatic))
                    == "uploaded")
            self.scene.expectWhole()
            #expect(self.scene.methods == ["POST", "HEAD", "PATCH"])
            for request in self.server.requests {
                #expect(request.headers["Authorization"] == nil)
                #expect(request.headers["X-Api-Key"] == nil)
                #expect(request.headers["X-Plain"] == "1")
            }
        }

        @Test func `carry what the request carries to its own origin, but nothing about its content`() async throws {
            self.server.cut(after: 100_000)
            let call = UploadScene.call {
                $0.headers = [
                    "Authorization": "Bearer a", "X-Own": "b", "If-None-Match": "*", "Content-Disposition": "inline",
                ]
            }
            try await self.scene.upload(.automatic, call)
            let requests = self.server.requests
            #expect(requests.map { $0.headers["Authorization"] } == ["Bearer a", "Bearer a", "Bearer a"])
            #expect(requests.map { $0.headers["X-Own"] } == ["b", "b", "b"])
            #expect(requests.map { $0.headers["If-None-Match"] } == ["*", nil, nil])
            #expect(requests.map { $0.headers["Content-Disposition"] } == ["inline", nil, nil])
            #expect(
                requests.map { $0.headers["Content-Type"] }
                    == ["text/plain", nil, "application/partial-upload"])
        }

        @Test func `answer challenges on the way, and are asked no second time`() async throws {
            let challenge = LoopbackReply.status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""])
            self.server.cut(after: 100_000)
            self.server.answerNext("POST", challenge)
            let client = self.scene.client { $0.credentials.authenticator = StreamingLogin() }
            #expect(try await self.scene.upload(with: client) == "uploaded")
            self.scene.expectWhole()
            #expect(self.scene.methods == ["POST", "POST", "HEAD", "PATCH"])
            #expect(self.server.requests.dropFirst().allSatisfy { $0.headers["Authorization"] != nil })
        }

        // MARK: - Ends

        @Test(arguments: [true, false])
        func `end at once when they are stopped, wherever they are`(isShutDown: Bool) async throws {
            let gate = LoopbackGate()
            self.server.cut(after: 100_000)
            self.server.answerNext("HEAD", .status(204).held(by: gate))
            let client = self.scene.client()
            let task = Task { try await self.scene.upload(with: client) }
            await gate.waitUntilReached()
            if isShutDown { await client.shutdown() } else { task.cancel() }
            let error = await streamingFailure { _ = try await task.value }
            #expect(error?.code == (isShutDown ? .clientShutDown : .cancelled))
            #expect(await client.scheduler.activeCount == 0)
            gate.open()
        }

        @Test func `end at once while they wait`() async throws {
            let clock = TestClock()
            self.server.cut(after: 100_000)
            self.server.answerNext("HEAD", .status(423))
            let client = self.scene.client { $0.environment.clock = clock }
            let task = Task { try await self.scene.upload(with: client) }
            await clock.waitForSleeper()
            task.cancel()
            let error = await streamingFailure { _ = try await task.value }
            #expect(error?.code == .cancelled)
        }

        @Test func `go on after a deadline of one attempt has passed`() async throws {
            let (clock, gate) = (TestClock(), LoopbackGate())
            let fields: LoopbackFields = ["Location": "/uploads/0", "Upload-Draft-Interop-Version": "8"]
            self.server.answerNext(
                "POST", LoopbackReply(.message(LoopbackMessage(status: 104, headers: fields)), .hold(gate)))
            self.server.answerNext("HEAD", .status(204, headers: ["Upload-Offset": "10"]))
            self.server.answerNext(
                "PATCH", LoopbackReply(.receive(atMost: .max) { _ in LoopbackReply.text("late").steps }))
            let client = self.scene.client {
                $0.environment.clock = clock
                $0.options = $0.options.timeout(attempt: .seconds(10))
            }
            async let text = self.scene.upload(with: client)
            // Before that nobody knows where the upload is.
            await fixtureUntil { self.scene.recorder.entries.contains { $0.isInterimResponse } }
            await clock.waitForSleeper()
            clock.advance(by: .seconds(10))
            #expect(try await text == "late")
            #expect(self.scene.methods == ["POST", "HEAD", "PATCH"])
            gate.open()
        }
    }

    /// A call that says by itself how it is resumed.
    struct UploadCallFixture: Endpoint {
        typealias Response = String

        var path: EndpointPath { "files" }
        var method: HTTPMethod { .post }
        let body: RequestBody
        let uploadResumption: UploadResumption
        var options: RequestOptions { .uploadResumption(self.uploadResumption) }
    }

    extension EventRecorder.Entry {
        fileprivate var isInterimResponse: Bool {
            if case .event(.interimResponse) = self.call { true } else { false }
        }
    }
#endif
