internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand
@testable internal import ErrandOutbox

@Suite("The outbox: what others could have written (G14, G19)", .timeLimit(.minutes(60)), .paced)
struct OutboxTrustTests {
    private let world: OutboxWorld

    init() throws {
        self.world = try OutboxWorld()
    }

    @Test(arguments: ForeignFile.possible)
    func `a folder that others could have written is refused by its name`(way: ForeignFile) async throws {
        _ = try await self.world.interrupted("first")
        try way.apply(to: self.world.folder)
        let error = await #expect(throws: ErrandError.self) { _ = try await self.world.open() }
        #expect(error?.code == .fileFailed)
        #expect(error?.message.contains(self.world.folder.path) == true)
        #expect(self.world.transport.receivedCount == 1)
    }

    @Test func `a folder that is a link of this user's is used`() async throws {
        let place = self.world.folder.deletingLastPathComponent().appending(path: "place")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: self.world.folder, withDestinationURL: place)
        let outbox = try await self.world.open()
        try await outbox.add(Post("1"))
        await self.world.waitForEnds(1)
        #expect(self.world.sent == ["1"])
    }

    @Test(arguments: ForeignFile.possible)
    func `a queue that others could have written is not sent, and says so`(way: ForeignFile) async throws {
        let queue = try await self.world.interrupted("first")
        try way.apply(to: queue)
        let outbox = try await self.world.open()
        let events = outbox.events()
        await outbox.sendNow()
        for await case .problem("default", let error) in events {
            #expect(error.code == .fileFailed)
            break
        }
        #expect(self.world.transport.receivedCount == 1)
        #expect(await self.world.code { try await outbox.add(Post("second")) } == .fileFailed)
        await outbox.close()
    }

    @Test(arguments: ForeignFile.possible, ["json", "body"])
    func `a request that others could have written is moved aside and not sent`(
        way: ForeignFile, ending: String
    ) async throws {
        let queue = try await self.world.interrupted("first", "second")
        try way.apply(to: try #require(self.world.files(in: queue, ending).first))
        let outbox = try await self.world.open()
        await self.world.until { (try? await outbox.damagedFiles().count) == 1 }
        await self.world.waitForEnds(1)
        await self.world.waitUntilEmpty(outbox)
        #expect(self.world.transport.receivedCount == 2)
        #expect(self.world.endCount == 1)
    }

    @Test func `a file as long as a disk is no request, and is not read`() async throws {
        let queue = try await self.world.interrupted("first", "second")
        let file = try #require(self.world.files(in: queue, "json").first)
        try #require(unsafe truncate(file.path, 900 << 30) == 0)
        let outbox = try await self.world.open()
        await self.world.waitForEnds(1)
        await self.world.until { (try? await outbox.damagedFiles().count) == 1 }
    }

    @Test(arguments: ["+", "0"]) func `a file whose name is written otherwise is no request`(first: String) async throws
    {
        let queue = try await self.world.interrupted("first")
        let file = try #require(self.world.files(in: queue, "json").first)
        let name = first + file.lastPathComponent.dropFirst()
        let planted = first == "+" ? name : name.lowercased()
        try FileManager.default.copyItem(at: file, to: queue.appending(path: planted))
        let outbox = try await self.world.open()
        try await outbox.add(Post("second"))
        await self.world.waitForEnds(2)
        await self.world.waitUntilEmpty(outbox)
        #expect(self.world.transport.receivedCount == 3)
    }

    @Test func `a queue whose numbers are used up takes no more, and says so`() async throws {
        let queue = try await self.world.interrupted("first")
        let file = try #require(self.world.files(in: queue, "json").first)
        let name = String(repeating: "9", count: 16) + file.lastPathComponent.dropFirst(16)
        try FileManager.default.moveItem(at: file, to: queue.appending(path: name))
        self.world.answer { _, _ in .status(503) }
        let outbox = try await self.world.open()
        #expect(await self.world.code { try await outbox.add(Post("second")) } == .outboxFull)
        await outbox.close()
    }

    @Test func `a link in the place of a request is moved aside`() async throws {
        let queue = try await self.world.interrupted("first", "second")
        let file = try #require(self.world.files(in: queue, "json").first)
        let place = queue.appending(path: "elsewhere")
        try FileManager.default.moveItem(at: file, to: place)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: place)
        let outbox = try await self.world.open()
        await self.world.waitForEnds(1)
        await self.world.until { (try? await outbox.damagedFiles().count) == 1 }
    }

    @Test func `all files are for this user alone, whatever a body was`() async throws {
        struct Upload: Endpoint {
            typealias Response = Data
            let file: URL
            var path: EndpointPath { "files" }
            var method: HTTPMethod { .post }
            var body: RequestBody { .file(self.file) }
        }
        let folder = try TestFolder()
        let file = folder.file("photo")
        try Data("photo".utf8).write(to: file)
        try #require(unsafe chmod(file.path, 0o666) == 0)
        self.world.answer { _, _ in .status(503) }
        let outbox = try await self.world.open()
        try await outbox.add(Upload(file: file))
        try await outbox.add(Post("1"))
        await self.world.waitForPause()
        let manager = FileManager.default
        for path in try manager.subpathsOfDirectory(atPath: self.world.folder.path) {
            let attributes = try manager.attributesOfItem(atPath: self.world.folder.appending(path: path).path)
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(path)")
        }
        await outbox.close()
    }

    // MARK: - Rights

    @Test func `a call that sends secrets elsewhere is refused, for a file must not say so`() async throws {
        struct Call: Endpoint {
            typealias Response = Data
            var path: EndpointPath { .url("https://partner.test/a") }
            var options: RequestOptions { .sendingSecretsToAllOrigins() }
        }
        let outbox = try await self.world.open()
        #expect(await self.world.code { try await outbox.add(Call()) } == .unsupported)
        #expect(try await outbox.items().isEmpty)
    }

    @Test func `a record cannot send secrets elsewhere, nor use networks that the client forbids`() async throws {
        let queue = try await self.world.interrupted("first")
        let file = try #require(self.world.files(in: queue, "json").first)
        var record = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        record["url"] = "https://mallory.test/take"
        record["rules"] = [
            "isCustom": false, "omittedHeaders": [], "sendsSecretsElsewhere": true, "forbiddenNetworks": [],
        ]
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: JSONSerialization.data(withJSONObject: record))
        try handle.close()
        let outbox = try await self.world.open(
            self.world.client {
                $0.headers = ["X-Api-Key": "secret"]
                $0.credentials.origin = .bearer("secret")
                $0.options = $0.options.networks(AllowedNetworks(cellular: false))
            })
        await self.world.waitForEnds(1)
        await outbox.close()
        let sent = try #require(self.world.transport.received.last)
        #expect(sent.url.host == "mallory.test")
        #expect(!sent.headers.contains { $0.value.contains("secret") })
        #expect(!sent.allowedNetworks.cellular)
    }

    // MARK: - Redirections

    @Test(arguments: [302]) func `a redirection of a POST to a login page delivers nothing, and the item stays`(
        status: Int
    ) async throws {
        let isLoggedIn = Locked(false)
        self.world.answer { request, _ in
            if request.url.path == "/login" { return .text("who are you?") }
            return isLoggedIn.withLock { $0 }
                ? .status(200) : .status(HTTPStatus(rawValue: status), headers: ["Location": "/login"])
        }
        let outbox = try await self.world.open()
        try await outbox.add(Post("order"))
        await self.world.waitForPause()
        #expect(try await outbox.items().count == 1)
        #expect(self.world.endCount == 0)
        #expect(self.world.transport.received.map(\.url.path) == ["/orders"])
        isLoggedIn.withLock { $0 = true }
        await self.world.passPause()
        await self.world.waitForEnds(1)
        guard case .sent(let response) = self.world.ends.withLock({ $0.first?.end }) else {
            Issue.record("it was not sent")
            return
        }
        #expect(response.status == 200)
        #expect(self.world.transport.received.map(\.method) == [.post, .post])
    }

    @Test(arguments: [301, 303]) func `a redirection to another method that is there for good is a failure`(
        status: Int
    ) async throws {
        self.world.answer { request, _ in
            request.method == .post
                ? .status(HTTPStatus(rawValue: status), headers: ["Location": "/elsewhere"]) : .status(200)
        }
        let outbox = try await self.world.open()
        try await outbox.add(Post("order"))
        await self.world.waitForEnds(1)
        guard case .failed(let error) = self.world.ends.withLock({ $0.first?.end }) else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.context.status?.code == status)
        #expect(self.world.transport.receivedCount == 1)
        await outbox.close()
    }

    @Test(arguments: [307, 308], [false, true])
    func `a redirection that keeps the method is followed, as far as the client does`(
        status: Int, isRefused: Bool
    ) async throws {
        self.world.answer { request, _ in
            request.url.path == "/orders"
                ? .status(HTTPStatus(rawValue: status), headers: ["Location": "/new"]) : .status(200)
        }
        let outbox = try await self.world.open(
            self.world.client { if isRefused { $0.options = $0.options.redirects(.decide { _ in .stop }) } })
        try await outbox.add(Post("order"))
        await self.world.waitForEnds(1)
        let isSent = if case .sent = self.world.ends.withLock({ $0.first?.end }) { true } else { false }
        #expect(isSent == !isRefused)
        #expect(self.world.transport.received.map(\.method) == (isRefused ? [.post] : [.post, .post]))
        await outbox.close()
    }

    @Test func `nor does a second redirection deliver, after one that kept the method`() async throws {
        self.world.answer { request, _ in
            switch request.url.path {
            case "/orders": .status(307, headers: ["Location": "/new"])
            case "/new": .status(302, headers: ["Location": "/login"])
            default: .status(200)
            }
        }
        let outbox = try await self.world.open()
        try await outbox.add(Post("order"))
        await self.world.waitForPause()
        #expect(self.world.transport.received.map(\.url.path) == ["/orders", "/new"])
        #expect(self.world.endCount == 0)
        await outbox.close()
    }
}
