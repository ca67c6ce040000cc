internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Downloads and streams without a network", .timeLimit(.minutes(60)), .paced)
struct StubbedBodyTests {
    private let world = FixtureWorld(isRecording: true)
    private let scene: StreamingScene

    init() throws {
        self.scene = try StreamingScene()
    }

    private func text(_ response: StreamedResponse) async throws -> String {
        String(decoding: try await streamingAll(response.body), as: UTF8.self)
    }

    @Test func `bytes go into the file`() async throws {
        try self.scene.putOldFile()
        self.world.transport.route("*", .text("content"))
        let file = try await self.world.client.download(FixtureData(), to: self.scene.place())
        #expect(try Data(contentsOf: file.url) == Data("content".utf8))
        #expect(file.size == 7)
        #expect(file.head.status == .ok)
        #expect(try self.scene.names == ["file"])
        await self.world.expectAtRest()
    }

    @Test func `bytes are read as a stream`() async throws {
        self.world.transport.route("*", .text("content"))
        #expect(try await self.world.client.stream(FixtureData()) { try await self.text($0) } == "content")
        await self.world.expectAtRest()
    }

    @Test func `bytes can be read only once, as any body`() async throws {
        self.world.transport.route("*", .text("content"))
        let error = await streamingFailure {
            try await self.world.client.stream(FixtureData()) { response in
                _ = try await streamingAll(response.body)
                _ = try await streamingAll(response.body)
            }
        }
        #expect(error?.code == .bodyAlreadyRead)
    }

    @Test(arguments: [false, true])
    func `an interceptor answers by itself`(isEmpty: Bool) async throws {
        let own = FixtureInterceptor { _, _, _ in HTTPResponse(status: 200, body: Data((isEmpty ? "" : "own").utf8)) }
        let call = FixtureText { $0.options = .interceptors([own]) }
        let file = try await self.world.client.download(call, to: self.scene.place())
        #expect(try Data(contentsOf: file.url) == Data((isEmpty ? "" : "own").utf8))
        #expect(try self.scene.names == ["file"])
        #expect(try await self.world.client.stream(call) { try await self.text($0) } == (isEmpty ? "" : "own"))
        #expect(self.world.transport.receivedCount == 0)
        await self.world.expectAtRest()
    }

    @Test func `an interceptor answers with a stream that breaks off`() async throws {
        try self.scene.putOldFile()
        let own = FixtureInterceptor { _, _, _ in
            let stream = BodyStream {
                var isFirst = true
                return { () async throws(ErrandError) -> Data? in
                    guard isFirst else { throw ErrandError(.connectionLost, "cut") }
                    isFirst = false
                    return Data("beginning".utf8)
                }
            }
            return HTTPResponse(head: HTTPResponse.Head(status: 200), body: .stream(stream))
        }
        let call = FixtureText { $0.options = .interceptors([own]) }
        let download = await streamingFailure {
            _ = try await self.world.client.download(call, to: self.scene.place())
        }
        #expect(download?.code == .connectionLost)
        try self.scene.expectOldFile()
        let stream = await streamingFailure {
            _ = try await self.world.client.stream(call) { try await self.text($0) }
        }
        #expect(stream?.code == .connectionLost)
        await self.world.expectAtRest()
    }

    @Test func `a file that somebody else wrote is left alone`() async throws {
        try self.scene.putOldFile("other")
        let other = self.scene.place("other")
        let own = FixtureInterceptor { _, _, _ in
            HTTPResponse(head: HTTPResponse.Head(status: 200), body: .file(other))
        }
        let call = FixtureText { $0.options = .interceptors([own]) }
        let download = await streamingFailure {
            _ = try await self.world.client.download(call, to: self.scene.place())
        }
        #expect(download?.code == .unsupported)
        let stream = await streamingFailure { _ = try await self.world.client.stream(call) { _ in } }
        #expect(stream?.code == .unsupported)
        #expect(try self.scene.names == ["other"])
    }

    @Test func `a refusal leaves the file alone`() async throws {
        try self.scene.putOldFile()
        self.world.transport.route("*", .text("nobody", status: 404))
        let error = await streamingFailure {
            _ = try await self.world.client.download(FixtureData(), to: self.scene.place())
        }
        #expect(error?.context.status == .notFound)
        #expect(error?.context.body == Data("nobody".utf8))
        try self.scene.expectOldFile()
        await self.world.expectAtRest()
    }

    @Test func `a folder that does not exist is the error`() async throws {
        self.world.transport.route("*", .text("content"))
        let place = self.scene.folder.appending(path: "none/file")
        let error = await streamingFailure { _ = try await self.world.client.download(FixtureData(), to: place) }
        #expect(error?.code == .fileFailed)
        #expect(error?.message.contains("No such file or directory") == true)
        await self.world.expectAtRest()
    }

    @Test func `the cache keeps nothing of a file`() async throws {
        self.world.transport.route("*", .text("content"))
        for _ in 0..<2 {
            let call = FixtureFile(file: self.scene.place(), said: .caching(.fresh(for: .seconds(1000))))
            #expect(try await self.world.client.send(call) == self.scene.place())
        }
        #expect(self.world.transport.receivedCount == 2)
    }

    @Test func `the end of a batch leaves only whole files`() async throws {
        let gate = StubGate()
        self.world.transport.route("0", .text("first"))
        self.world.transport.route("1", .status(500))
        self.world.transport.route("2", StubReply.text("late").held(by: gate))
        let calls = (0..<3).map { FixtureFile(path: "\($0)", file: self.scene.place("\($0)")) }
        let error = await streamingFailure { _ = try await self.world.client.batch(of: calls).value }
        #expect(error?.code == .unacceptableStatus)
        #expect(Set(try self.scene.names).isSubset(of: ["0"]))
        await self.world.expectAtRest()
    }

    @Test(arguments: [false, true])
    func `a refusal that comes as a stream holds no slot while interceptors look at it`(
        givesHandles: Bool
    ) async throws {
        let gate = FixtureGate()
        let look = FixtureInterceptor { request, _, next in
            let response = try await next(request)
            await gate.pass()
            return response
        }
        let streaming = RefusingTransport()
        let world = FixtureWorld {
            $0.transport = givesHandles ? HandleTransport(streaming) : streaming
            $0.interceptors = [look]
        }
        async let failure = streamingFailure { _ = try await world.client.send(FixtureText()) }
        await gate.waitUntilReached()
        #expect(await world.client.scheduler.activeCount == 0)
        gate.open()
        let error = await failure
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.context.body == Data("busy".utf8))
        await world.expectAtRest()
    }
}

/// Answers everything with a status that is not accepted, and with a stream whatever it was asked for.
private struct RefusingTransport: Transport {
    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        let stream = BodyStream {
            var rest: Data? = Data("busy".utf8)
            return { () async throws(ErrandError) -> Data? in rest.take() }
        }
        return HTTPResponse(head: HTTPResponse.Head(status: 503), body: .stream(stream))
    }
}
