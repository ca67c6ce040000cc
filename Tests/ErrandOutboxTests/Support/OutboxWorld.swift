internal import ErrandLocks
internal import ErrandOutbox
internal import ErrandSimulation
internal import ErrandTesting
internal import Foundation

@testable internal import Errand

/// An outbox in a folder of its own, a client over a double, and a clock that stands still.
final class OutboxWorld: Sendable {
    let folder: URL
    let transport = StubTransport()
    let clock = TestClock()
    let network = TestPathMonitor()
    /// How long ago the clock of the wall says that it is 1970 and a bit.
    let seconds = Locked(1_000_000.0)
    let ends = Locked<[(item: OutboxItem, end: OutboxEnd)]>([])
    /// How long requests were told to wait.
    let pauses = Locked<[Duration]>([])
    private let texts = Locked<[String]>([])
    private let parent: TestFolder

    init() throws {
        self.parent = try TestFolder()
        self.folder = self.parent.url.appending(path: "outbox", directoryHint: .isDirectory)
        self.acceptAll()
    }

    /// From now on the double accepts everything, as it does unless a test says otherwise.
    func acceptAll() {
        self.answer { _, _ in .status(200) }
    }

    /// From now on the double answers like this.
    func answer(_ reply: @escaping StubRoute.CountingHandler) {
        let noting: StubRoute.CountingHandler = { [weak self] request, count in
            self?.note(request)
            return reply(request, count)
        }
        self.transport.replaceRoutes(with: [StubRoute(where: { _ in true }, answer: noting)])
    }

    func client(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        Client(baseURL: "https://api.example.com/") {
            $0.transport = self.transport
            $0.environment.clock = self.clock
            $0.environment.pathMonitor = self.network
            // Time passes while requests are on their way, as fast as a test lets it.
            $0.options = $0.options.withoutTimeout()
            $0.environment.date = { [self] in Date(timeIntervalSince1970: self.seconds.withLock { $0 }) }
            configure(&$0)
        }
    }

    func open(_ client: Client? = nil, _ options: OutboxOptions = OutboxOptions()) async throws -> Outbox {
        let outbox = try await Outbox.open(self.folder, client: client ?? self.client(), options: options) {
            [self] item, end in
            self.ends.withLock { $0.append((item, end)) }
        }
        let events = outbox.events()
        // Ends with the outbox.
        Task {
            for await case .waiting(_, _, let pause) in events { self.pauses.withLock { $0.append(pause) } }
        }
        return outbox
    }

    /// What the double was sent: the text of each body, read while it was there.
    var sent: [String] { self.texts.withLock { $0 } }

    private func note(_ request: HTTPRequest) {
        let text: String? =
            switch request.body {
            case .file(let file): try? String(contentsOf: file, encoding: .utf8)
            case .bytes(let data): String(decoding: data, as: UTF8.self)
            case .none, .stream: ""
            }
        self.texts.withLock { $0.append(text ?? "gone") }
    }

    /// How many ends were reported.
    var endCount: Int { self.ends.withLock { $0.count } }

    func waitForEnds(_ count: Int) async {
        await self.until { self.endCount >= count }
    }

    /// Waits until the outbox has nothing left.
    func waitUntilEmpty(_ outbox: Outbox) async {
        await self.until { (try? await outbox.items().isEmpty) == true }
    }

    /// Waits until requests have been told to wait so often.
    func waitForPause(_ count: Int = 1) async {
        await self.until { self.pauses.withLock { $0.count } >= count }
    }

    /// Lets time pass until something more has been sent.
    func passPause() async {
        let count = self.transport.receivedCount
        await self.until {
            self.clock.advance(by: .seconds(1))
            return self.transport.receivedCount > count
        }
    }

    /// Opens an outbox, closes it when requests wait to be sent, and returns the folder of their queue.
    func interrupted(_ texts: String...) async throws -> URL {
        self.answer { _, _ in .status(503) }
        let outbox = try await self.open()
        for text in texts { try await outbox.add(Post(text)) }
        await self.waitForPause()
        await outbox.close()
        self.acceptAll()
        return self.folder.appending(path: "default")
    }

    /// The code of the error that some work ends with; `nil` if it ends without one.
    func code(_ work: () async throws -> Void) async -> ErrandError.Code? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? ErrandError)?.code
        }
    }

    func until(_ condition: () async -> Bool) async {
        while !Task.isCancelled, !(await condition()) { await Task.yield() }
    }

    /// The files in a folder whose names end so, sorted.
    func files(in folder: URL, _ ending: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == ending }.sorted { $0.path < $1.path }
    }

    /// All bytes of all files in the folder.
    var written: String {
        let files = FileManager.default.enumerator(at: self.folder, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).map { (try? String(contentsOf: $0, encoding: .utf8)) ?? "" }
            .joined(separator: "\n")
    }
}

/// A call that sends a text.
struct Post: Endpoint {
    typealias Response = Data
    let text: String
    var fields: HTTPFields = [:]
    let path: EndpointPath
    var method: HTTPMethod { .post }
    var headers: HTTPFields { self.fields }
    var body: RequestBody { .text(self.text) }

    init(_ text: String, fields: HTTPFields = [:], path: EndpointPath = "orders") {
        self.text = text
        self.fields = fields
        self.path = path
    }
}
