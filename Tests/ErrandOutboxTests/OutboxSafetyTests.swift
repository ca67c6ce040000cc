internal import ErrandLocks
internal import ErrandSimulation
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand
@testable internal import ErrandOutbox

@Suite("The outbox: what is refused, and what is damaged", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct OutboxSafetyTests {
    private let world: OutboxWorld

    init() throws {
        self.world = try OutboxWorld()
    }

    // MARK: - Secrets (G14)

    @Test func `what the client adds is sent, and never written`() async throws {
        self.world.answer { _, number in .status(number == 1 ? 503 : 200) }
        let client = self.world.client {
            $0.headers = ["X-Api-Key": "very-secret", "X-Plain": "plain"]
            $0.credentials.origin = .bearer("token-secret")
        }
        let outbox = try await self.world.open(client)
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        #expect(self.world.written.contains("plain"))
        #expect(!self.world.written.contains("secret"))
        await self.world.passPause()
        await self.world.waitUntilEmpty(outbox)
        let request = try #require(self.world.transport.received.last)
        #expect(request.headers["X-Api-Key"] == "very-secret")
        #expect(request.headers["Authorization"] == "Bearer token-secret")
        #expect(request.headers["X-Plain"] == "plain")
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Auth-Token"])
    func `a secret of a call's own is refused, unless that is allowed`(name: String) async throws {
        let outbox = try await self.world.open()
        let call = Post("1", fields: [name: "mine"])
        #expect(await self.world.code { try await outbox.add(call) } == .invalidRequest)
        #expect(try await outbox.items().isEmpty)
        await outbox.close()
        var options = OutboxOptions()
        options.writesSecretsInTheClear = true
        let open = try await self.world.open(nil, options)
        try await open.add(call)
        await self.world.waitUntilEmpty(open)
        #expect(self.world.transport.received.map { $0.headers[name] } == ["mine"])
    }

    @Test(arguments: ["https://user:pass@api.example.com/orders", "https://api.example.com/orders?token=abc"])
    func `a secret in the URL is refused`(url: String) async throws {
        struct Call: Endpoint {
            typealias Response = Data
            let url: String
            var path: EndpointPath { .url(self.url) }
        }
        let outbox = try await self.world.open()
        #expect(await self.world.code { try await outbox.add(Call(url: url)) } == .invalidRequest)
    }

    @Test func `a credential of the call's own is refused`() async throws {
        struct Call: Endpoint {
            typealias Response = Data
            var path: EndpointPath { "orders" }
            var options: RequestOptions { .credentials(.own(.bearer("mine"))) }
        }
        let outbox = try await self.world.open()
        #expect(await self.world.code { try await outbox.add(Call()) } == .invalidRequest)
    }

    @Test func `a call that uses no credentials is sent without them`() async throws {
        struct Call: Endpoint {
            typealias Response = Data
            var path: EndpointPath { "orders" }
            var options: RequestOptions { .credentials(.none) }
        }
        let client = self.world.client { $0.credentials.origin = .bearer("token") }
        let outbox = try await self.world.open(client)
        try await outbox.add(Call())
        await self.world.waitUntilEmpty(outbox)
        #expect(self.world.transport.received.map { $0.headers["Authorization"] } == [nil])
    }

    // MARK: - Limits

    @Test func `one more than the limits allow is refused, and what is there stays`() async throws {
        self.world.answer { _, _ in .status(503) }
        var options = OutboxOptions()
        options.countLimit = 2
        options.byteLimit = 2_000
        let outbox = try await self.world.open(nil, options)
        #expect(
            await self.world.code { try await outbox.add(Post(String(repeating: "x", count: 2_000))) } == .outboxFull)
        try await outbox.add(Post("1"))
        try await outbox.add(Post("2"), to: "other")
        #expect(await self.world.code { try await outbox.add(Post("3")) } == .outboxFull)
        #expect(try await outbox.items().count == 2)
    }

    @Test func `a stream that does not end is cut off`() async throws {
        struct Call: Endpoint {
            typealias Response = Data
            var path: EndpointPath { "orders" }
            var method: HTTPMethod { .post }
            var body: RequestBody {
                .stream(BodyStream { { () async throws(ErrandError) -> Data? in Data(repeating: 1, count: 1_000) } })
            }
        }
        var options = OutboxOptions()
        options.byteLimit = 10_000
        let outbox = try await self.world.open(nil, options)
        #expect(await self.world.code { try await outbox.add(Call()) } == .outboxFull)
    }

    @Test(arguments: 0..<3) func `options that are not possible are refused`(which: Int) async throws {
        var options = OutboxOptions()
        switch which {
        case 0: options.countLimit = 0
        case 1: options.byteLimit = -1
        default: options.maximumAge = .zero
        }
        #expect(await self.world.code { _ = try await self.world.open(nil, options) } == .invalidConfiguration)
    }

    @Test(arguments: ["", "../up", "a/b", ".hidden", "format", "lock", "ü", String(repeating: "x", count: 65)])
    func `a queue that cannot be named so is refused`(name: String) async throws {
        let outbox = try await self.world.open()
        #expect(await self.world.code { try await outbox.add(Post("1"), to: name) } == .invalidRequest)
    }

    // MARK: - The folder

    @Test func `a folder of something else is left alone`() async throws {
        try FileManager.default.createDirectory(at: self.world.folder, withIntermediateDirectories: true)
        let file = self.world.folder.appending(path: "photo.jpg")
        try Data("photo".utf8).write(to: file)
        #expect(await self.world.code { _ = try await self.world.open() } == .invalidConfiguration)
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.world.folder.path) == ["photo.jpg"])
    }

    @Test func `a folder of another version is left alone`() async throws {
        let outbox = try await self.world.open()
        await outbox.close()
        try Data("errand outbox 2\n".utf8).write(to: self.world.folder.appending(path: "format"))
        #expect(await self.world.code { _ = try await self.world.open() } == .invalidConfiguration)
    }

    @Test func `a place that is a file is a clear error`() async throws {
        try Data().write(to: self.world.folder)
        #expect(await self.world.code { _ = try await self.world.open() } == .fileFailed)
    }

    @Test func `the folder is for this user alone`() async throws {
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        let attributes = try FileManager.default.attributesOfItem(atPath: self.world.folder.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test(arguments: 0..<4) func `a damaged request is moved aside, and the queue goes on`(way: Int) async throws {
        let queue = try await self.world.interrupted("first")
        let request = try #require(self.world.files(in: queue, "json").first)
        let body = try #require(self.world.files(in: queue, "body").first)
        switch way {
        case 0: try Data().write(to: request)
        case 1: try Data("{\"id\":".utf8).write(to: request)
        case 2: try Data("fir".utf8).write(to: body)
        default: try FileManager.default.removeItem(at: body)
        }
        let outbox = try await self.world.open()
        try await outbox.add(Post("second"))
        await self.world.waitForEnds(1)
        #expect(self.world.transport.received.count == 2)
        await self.world.waitUntilEmpty(outbox)
        let place = request.appendingPathExtension("damaged")
        #expect(FileManager.default.fileExists(atPath: place.path))
        if way < 3 { #expect(FileManager.default.fileExists(atPath: body.path)) }
        await outbox.close()
    }

    @Test func `what a killed process left half written is removed`() async throws {
        let folder = try await self.world.interrupted("first")
        let left = ["\(UUID().uuidString).temporary", "\(UUID().uuidString).body"].map { folder.appending(path: $0) }
        for file in left { try Data("half".utf8).write(to: file) }
        let outbox = try await self.world.open()
        try await outbox.add(Post("second"))
        await self.world.waitUntilEmpty(outbox)
        #expect(left.filter { FileManager.default.fileExists(atPath: $0.path) }.isEmpty)
        #expect(self.world.endCount == 2)
        await outbox.close()
    }

    @Test func `a queue whose folder vanishes is a problem that passes`() async throws {
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        await self.world.waitUntilEmpty(outbox)
        try FileManager.default.removeItem(at: self.world.folder.appending(path: "default"))
        try await outbox.add(Post("2"))
        await self.world.waitUntilEmpty(outbox)
        #expect(self.world.endCount == 2)
    }

    @Test func `hooks and interceptors of a call's own are refused`() async throws {
        struct Call: Endpoint {
            typealias Response = Data
            var path: EndpointPath { "a" }
            var options: RequestOptions { .interceptors([URLFilter(query: [:])]) }
        }
        struct Hooked: ProcessingEndpoint {
            typealias Response = Data
            var path: EndpointPath { "a" }
        }
        let outbox = try await self.world.open()
        #expect(await self.world.code { try await outbox.add(Call()) } == .unsupported)
        #expect(await self.world.code { try await outbox.add(Hooked()) } == .unsupported)
        #expect(try await outbox.items().isEmpty)
    }

    @Test func `a stray file among the queues is none`() async throws {
        let outbox = try await self.world.open()
        try Data("x".utf8).write(to: self.world.folder.appending(path: "README"))
        try await outbox.add(Post("1"))
        await self.world.waitForEnds(1)
        await self.world.waitUntilEmpty(outbox)
    }

    @Test(arguments: [true, false]) func `a body that is no file is refused`(isFolder: Bool) async throws {
        let folder = try TestFolder()
        let place = folder.file("body")
        if isFolder {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        } else {
            #expect(unsafe mkfifo(place.path, 0o600) == 0)
        }
        struct Call: Endpoint {
            typealias Response = Data
            let file: URL
            var path: EndpointPath { "a" }
            var method: HTTPMethod { .post }
            var body: RequestBody { .file(self.file) }
        }
        let outbox = try await self.world.open()
        #expect(await self.world.code { try await outbox.add(Call(file: place)) } != nil)
        #expect(try await outbox.items().isEmpty)
    }

    @Test func `a body that grows while it is added is kept as it was copied`() async throws {
        let folder = try OutboxFolder(self.world.folder)
        let request = StoredRequest(
            HTTPRequest(url: try HTTPURL("https://api.example.com/a")), without: nil, bodySize: 2,
            usesCredentials: true,
            rules: StoredRequest.Rules(RequestOptions(), isCustom: false),
            notes: StoredRequest.Notes(endpoint: "Post", tag: nil, userData: nil), at: Date())
        // It had two bytes when it was looked at.
        let kept = try folder.add(request, .bytes(Data("1234".utf8)), to: "a", within: OutboxOptions())
        #expect(kept.bodySize == 4)
        #expect(try folder.request(try #require(folder.requests(of: "a").first), of: "a")?.bodySize == 4)
    }

    @Test func `what a token cannot be had for stays`() async throws {
        let tokens = self.world.client()
        self.world.answer { request, _ in .status(request.url.path.hasSuffix("token") ? 400 : 401) }
        struct Asks: Authenticator {
            let client: Client
            func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
                _ = try await self.client.send(Post("token", path: "token"))
                return nil
            }
        }
        let outbox = try await self.world.open(
            self.world.client { $0.credentials.authenticator = Asks(client: tokens) })
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        #expect(try await outbox.items().count == 1)
        #expect(self.world.endCount == 0)
        await outbox.close()
    }

    @Test(arguments: [1e300, -1e300, 1e19, .greatestFiniteMagnitude])
    func `numbers that nobody would write are taken for the nearest`(number: Double) async throws {
        let rules = StoredRequest.Rules(
            isCustom: false, omittedHeaders: [], forbiddenNetworks: ["none"], timeouts: ["total": number])
        var options = EffectiveOptions()
        options.merge(rules.timeoutOptions(behind: RequestOptions()))
        #expect(options.timeouts.total != nil && options.timeouts.idle == Timeouts.standard.idle)
        #expect(rules.allowedNetworks(of: .all) == .all)
    }

    @Test func `damaged files can be looked for`() async throws {
        let outbox = try await self.world.open()
        let place = self.world.folder.appending(path: "orders")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try Data("{".utf8).write(to: place.appending(path: "0000000000000001.\(UUID().uuidString).json"))
        await outbox.sendNow()
        await self.world.until { (try? await outbox.damagedFiles().count) == 1 }
        await outbox.close()
    }
}
