internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// A body that can be read only once is sent once, whatever is tried, and never goes out empty.
@Suite("A body that can be read only once", .timeLimit(.minutes(60)), .paced)
struct OneTimeBodyTests {
    private static let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    /// A stream that is really gone when it was read.
    private static func stream() -> BodyStream {
        let rest = Locked([Self.content.prefix(60_000), Self.content.dropFirst(60_000)])
        return BodyStream(isRepeatable: false) {
            { () async throws(ErrandError) -> Data? in
                rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            }
        }
    }

    /// What may lie around it.
    private static let bodies: [@Sendable () -> RequestBody] = [
        { .stream(Self.stream()) }, { .stream(Self.stream(), length: 100_000) },
        { .stream(Self.stream()).gzipped(level: 0) }, { .stream(Self.stream()).throttled(bytesPerSecond: .max) },
        { .stream(Self.stream(), length: 100_000).throttled(bytesPerSecond: .max).gzipped() },
        {
            var form = MultipartForm()
            form.append("a", stream: Self.stream(), length: 100_000)
            form.append("b", "text")
            return .multipart(form)
        },
    ]

    private let server: LoopbackServer

    @Test func `is what a stream is taken for that does not say otherwise`() {
        #expect(!BodyStream { { nil } }.isRepeatable)
        #expect(BodyStream(isRepeatable: true) { { nil } }.isRepeatable)
    }

    init() throws {
        self.server = try LoopbackServer()
    }

    private func client(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        var configuration = Client.Configuration(baseURL: self.server.baseURL)
        configuration.options = configuration.options.withoutTimeout()
        configure(&configuration)
        return Client(configuration)
    }

    private func upload(_ body: RequestBody, _ configure: (inout FixtureText) -> Void = { _ in }) -> FixtureText {
        FixtureText("a") {
            $0.method = .put
            $0.body = body
            configure(&$0)
        }
    }

    /// Answers with one after another; the last one is repeated.
    private func route(_ replies: LoopbackReply...) {
        let count = Locked(0)
        self.server.route("PUT", "/a") { _ in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return replies[min(number, replies.count - 1)]
        }
    }

    private func failure(of client: Client, _ endpoint: FixtureText) async -> ErrandError? {
        let error = await #expect(throws: ErrandError.self) { try await client.send(endpoint) }
        await client.shutdown()
        return error
    }

    // MARK: - By whatever way

    @Test(arguments: 0..<Self.bodies.count)
    func `is not sent by a second next`(index: Int) async throws {
        self.route(.status(503), .text("x"))
        let again = FixtureInterceptor { request, _, next in
            let first = try await next(request)
            return first.status == .ok ? first : try await next(request)
        }
        let endpoint = self.upload(Self.bodies[index]()) { $0.options = $0.options.interceptors([again]) }
        #expect(await self.failure(of: self.client(), endpoint)?.code == .bodyAlreadyRead)
        #expect(self.server.receivedCount == 1)
        // Compressed it is some hundred bytes.
        #expect((self.server.received.first?.body.count ?? 0) > 500)
    }

    @Test(arguments: 0..<Self.bodies.count)
    func `is not sent by a second request`(index: Int) async throws {
        self.server.route("PUT", "/a", .text("x"))
        let body = try #require(try Self.bodies[index]().encoded())
        let endpoint = self.upload(RequestBody { body })
        let client = self.client()
        #expect(try await client.send(endpoint) == "x")
        #expect(await self.failure(of: client, endpoint)?.code == .bodyAlreadyRead)
        #expect(self.server.receivedCount == 1)
    }

    @Test func `is not sent by another body around the same stream`() async throws {
        self.server.route("PUT", "/a", .text("x"))
        let (stream, client) = (Self.stream(), self.client())
        #expect(try await client.send(self.upload(.stream(stream))) == "x")
        #expect(await self.failure(of: client, self.upload(.stream(stream).gzipped()))?.code == .bodyAlreadyRead)
        #expect(self.server.receivedCount == 1)
    }

    @Test(arguments: 0..<Self.bodies.count)
    func `is not sent where a redirection leads`(index: Int) async throws {
        self.server.route("PUT", "/a", .status(307, headers: ["Location": "/b"]))
        self.server.route("PUT", "/b", .text("x"))
        let error = await self.failure(of: self.client(), self.upload(Self.bodies[index]()))
        #expect(error?.code == .invalidRedirect)
        #expect(self.server.receivedCount == 1)
    }

    @Test(arguments: 0..<Self.bodies.count)
    func `is not sent to answer a challenge`(index: Int) async throws {
        self.route(.status(401, headers: ["WWW-Authenticate": "Basic realm=x"]), .text("x"))
        let client = self.client {
            $0.credentials.authenticator = FixtureAuthenticator { _ in .basic(user: "u", password: "p") }
        }
        let error = await self.failure(of: client, self.upload(Self.bodies[index]()))
        #expect(error?.code == .unacceptableStatus)
        #expect(self.server.receivedCount == 1)
    }

    @Test(arguments: 0..<Self.bodies.count)
    func `is not sent over a second connection when the first one ends`(index: Int) async throws {
        self.server.route("GET", "/a", .text("x"))
        self.route(.close, .text("x"))
        let client = self.client()
        // What is sent over a connection that was kept is sent again by libcurl when that ends without an answer.
        #expect(try await client.send(FixtureText("a")) == "x")
        _ = await self.failure(of: client, self.upload(Self.bodies[index]()))
        #expect(self.server.received.filter { $0.method == "PUT" }.count <= 1)
    }

    @Test func `is sent by a second next when the first one came to nothing before it was read`() async throws {
        self.server.route("PUT", "/a", .text("x"))
        let again = FixtureInterceptor { request, _, next in
            var elsewhere = request
            elsewhere.method = "NOT A METHOD"
            _ = try? await next(elsewhere)
            return try await next(request)
        }
        let endpoint = self.upload(.stream(Self.stream())) { $0.options = $0.options.interceptors([again]) }
        #expect(try await self.client().send(endpoint) == "x")
        #expect(self.server.received.first?.body == Self.content)
    }

    // MARK: - By itself

    @Test func `is read by one of those who try at once`() async throws {
        let stream = Self.stream()
        let counts = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 {
                group.addTask { try? await FixtureBody.all(of: stream).count }
            }
            return await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(counts.compactMap(\.self) == [100_000])
        #expect(stream.isUsedUp && !stream.isRepeatable)
    }

    @Test func `goes on for whoever reads it, when another one tries`() async throws {
        let stream = Self.stream()
        var first = stream.makeAsyncIterator()
        _ = try await first.next()
        var second = stream.makeAsyncIterator()
        for _ in 0..<2 {
            #expect(await streamingFailure { _ = try await second.next() }?.code == .bodyAlreadyRead)
        }
        #expect(try await first.next()?.count == 40_000)
        #expect(try await first.next() == nil)
    }
}
