internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Testing

/// A server, and a folder of its own for what is downloaded from it.
final class StreamingScene: Sendable {
    let server: LoopbackServer
    let folder: URL
    let recorder = EventRecorder()
    let clock = TestClock()

    init() throws {
        self.server = try LoopbackServer()
        self.folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)/")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    deinit {
        self.server.stop()
        try? FileManager.default.removeItem(at: self.folder)
    }

    /// A client of the server, with the transport of the platform.
    ///
    /// It has the time that it takes: where all tests run at once a large body may be long on its way.
    func client(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        Client(baseURL: self.server.baseURL) {
            $0.accessories = [self.recorder]
            $0.options = $0.options.withoutTimeout()
            configure(&$0)
        }
    }

    /// A client that does one exchange at a time.
    func narrowClient(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        self.client {
            $0.limits.concurrency = RequestScheduler.Limits(total: 1, perHost: 1)
            configure(&$0)
        }
    }

    // MARK: - Files

    /// Where a file goes.
    func place(_ name: String = "file") -> URL {
        self.folder.appending(path: name, directoryHint: .notDirectory)
    }

    /// The names of everything in the folder, hidden or not.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: self.folder.path).sorted() }
    }

    /// Puts a file at its place that was there before.
    func putOldFile(_ name: String = "file") throws {
        try Data("old".utf8).write(to: self.place(name))
    }

    /// Expects that there is the old file, and nothing else.
    func expectOldFile(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try self.names == ["file"], sourceLocation: sourceLocation)
        #expect(try Data(contentsOf: self.place()) == Data("old".utf8), sourceLocation: sourceLocation)
    }

    // MARK: - Ends

    /// Expects that a client has nothing in flight, and that all four hooks ran once for its only request.
    func expectEnded(_ client: Client, sourceLocation: SourceLocation = #_sourceLocation) async {
        await fixtureUntil { await client.record.count == 0 }
        #expect(await client.scheduler.activeCount == 0, sourceLocation: sourceLocation)
        #expect(await client.scheduler.waitingCount == 0, sourceLocation: sourceLocation)
        #expect(client.environment.deadlines.count == 0, sourceLocation: sourceLocation)
        let ids = self.recorder.ids(of: .request)
        #expect(ids.count == 1, sourceLocation: sourceLocation)
        for id in ids {
            await fixtureUntil { self.recorder.end(of: id) != nil }
            #expect(self.recorder.hooks(of: id) == FixtureHook.names, sourceLocation: sourceLocation)
        }
    }
}

/// Bytes of which none can be left out or moved unnoticed.
func streamingBytes(_ count: Int) -> Data {
    // The length is prime, so that no piece of a power of two looks like another one.
    let block = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) })
    var bytes = Data(capacity: count + block.count)
    while bytes.count < count { bytes.append(block) }
    return bytes.prefix(count)
}

/// All bytes of a stream.
func streamingAll(_ stream: BodyStream) async throws(ErrandError) -> Data {
    var bytes = Data()
    var iterator = stream.makeAsyncIterator()
    while let chunk = try await iterator.next() { bytes += chunk }
    return bytes
}

/// The error that something fails with.
func streamingFailure(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> ErrandError? {
    await #expect(throws: ErrandError.self, sourceLocation: sourceLocation) { try await body() }
}

/// A call whose response goes into a file.
struct FixtureFile: Endpoint {
    typealias Response = URL

    var path: EndpointPath = "a"
    var file: URL
    var said = RequestOptions()

    var options: RequestOptions { .destination(.file(self.file)).merging(self.said) }

    func decode(_ response: HTTPResponse) throws -> URL {
        guard case .file(let url) = response.body else { throw FixtureError(description: "there is no file") }
        return url
    }
}

/// A call whose response is read while it comes, for tests that need its request.
struct FixtureReading<Response: Sendable>: StreamingCall {
    var path: EndpointPath = "a"
    var buffer = 1 << 16
    var timeouts: Timeouts?
    var interceptors: [any Interceptor] = []
    let reader: @Sendable (StreamedResponse) async throws -> Response

    var options: RequestOptions {
        let options = RequestOptions.destination(.stream(buffer: self.buffer)).interceptors(self.interceptors)
        return self.timeouts.map { options.timeouts($0) } ?? options
    }

    func decode(_ response: HTTPResponse) throws -> Response {
        throw FixtureError(description: "there is no stream")
    }

    func read(_ response: StreamedResponse) async throws -> Response {
        try await self.reader(response)
    }
}

/// A body that is compressed.
enum StreamingGzip {
    static let content = Data("gzip text gzip text gzip text\n".utf8)
    static let packed =
        Data(
            base64Encoded: "H4sIAAAAAAACA0uvyixQKEmtKFFIx2RxAQARVNbFHgAAAA==") ?? Data()
}

/// Answers every challenge with the same credential.
struct StreamingLogin: Authenticator {
    var before: @Sendable () async throws -> Void = {}

    func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
        try await self.before()
        return .basic(user: "Ann", password: "secret")
    }
}
