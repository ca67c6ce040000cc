internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Observation
internal import TestEffort
internal import Testing

struct AddNote: Endpoint {
    typealias Response = Int

    let text: String

    var path: EndpointPath { "notes" }
    var method: HTTPMethod { .post }
    var body: RequestBody { .json(["text": self.text]) }
}

struct GetNews: Endpoint {
    typealias Response = [String]

    var path: EndpointPath { "news" }
    var options: RequestOptions { .caching(.fresh(for: .seconds(86_400))) }
}

struct GetVideo: Endpoint {
    typealias Response = DownloadedFile

    let name: String
    let file: URL

    var path: EndpointPath { "videos/\(self.name)" }
    var options: RequestOptions { .destination(.file(self.file, resuming: .automatic)) }
}

struct Search: Endpoint {
    typealias Response = [String]

    let text: String

    var path: EndpointPath { "search" }
    var parameters: Parameters { ["q": .string(self.text)] }
}

@MainActor @Observable final class UserModel {
    private(set) var user: User?
    var error: ErrandError?
    private let client: Client

    init(client: Client) {
        self.client = client
    }

    func load(_ id: String, options: RequestOptions = RequestOptions()) async {
        do {
            self.user = try await self.client.send(GetUser(id: id), options: options)
            self.error = nil
        } catch  where error.isCancellation {
            // The view has disappeared, or shows another user.
        } catch {
            self.error = error
        }
    }
}

@MainActor @Observable final class NoteModel {
    private(set) var notes: [String] = []
    private(set) var message: String?
    private let client: Client

    init(client: Client) {
        self.client = client
    }

    func add(_ text: String) {
        self.client.request(AddNote(text: text)).start { number in
            self.notes.append("\(number): \(text)")
        } onFailure: { error in
            self.message = error.localizedDescription
        }
    }
}

@MainActor @Observable final class NewsModel {
    private(set) var titles: [String] = []
    private(set) var isStale = false
    private let client: Client

    init(client: Client) {
        self.client = client
    }

    func load() async {
        do {
            for try await response in self.client.responses(for: GetNews()) {
                self.titles = response.value
                self.isStale = response.source.isCache
            }
        } catch {
            // Without a network, the cached titles stay on the screen.
        }
    }
}

@MainActor @Observable final class VideoModel {
    private(set) var fraction: Double?
    private(set) var video: URL?
    private let client: Client

    init(client: Client) {
        self.client = client
    }

    func download(_ name: String, to file: URL) async {
        let request = self.client.request(GetVideo(name: name, file: file))
        let progress = await request.progress
        async let video = request.value
        for await reading in progress {
            self.fraction = reading.fractionCompleted
        }
        self.video = try? await video.url
    }
}

@MainActor @Observable final class SearchModel {
    var text = ""
    private(set) var hits: [String] = []
    private let latest: LatestOnly

    init(client: Client) {
        self.latest = client.latest(debounce: .milliseconds(300))
    }

    func search() async {
        guard let hits = try? await self.latest.send(Search(text: self.text)) else { return }
        self.hits = hits
    }
}

extension Client {
    static var preview: Client {
        let transport = StubTransport()
        transport.route("/users/*", .json(#"{"id": "1", "nick": "Ann", "avatar": "ann"}"#))
        return Client(baseURL: "https://api.example.com/") { $0.transport = transport }
    }
}

@MainActor @Suite struct UserModelTests {
    let transport = StubTransport()

    var model: UserModel {
        UserModel(client: Client(baseURL: "https://api.example.com/") { $0.transport = self.transport })
    }

    @Test func `a user is shown`() async {
        self.transport.route("/users/1", .json(#"{"id": "1", "nick": "Ann", "avatar": "ann"}"#))
        let model = self.model

        await model.load("1")

        #expect(model.user?.nick == "Ann")
    }

    @Test func `a view that disappears cancels its request and shows no error`() async {
        let gate = StubGate()
        self.transport.route("/users/1", .status(.ok).held(by: gate))
        let model = self.model

        await withTaskGroup { group in
            group.addTask { await model.load("1") }
            await gate.waitUntilReached()
            group.cancelAll()
        }

        #expect(model.error == nil)
        #expect(self.transport.activeCount == 0)
    }
}

/// The other examples of the article "In SwiftUI and view models", run.
@Suite(.timeLimit(.minutes(60)), .paced)
struct ViewModelTests {
    private let transport = StubTransport()
    private let client: Client

    init() {
        let transport = self.transport
        transport.route("/notes", method: .post, .json("7"), .status(.serviceUnavailable))
        transport.route("/news", .json(#"["old"]"#), .json(#"["new"]"#), .failure(.cannotConnect))
        transport.route("/videos/tour", .data(Data("video".utf8)))
        transport.route("/search", .json(#"["hit"]"#))
        self.client = Client(baseURL: "https://api.example.com/") {
            $0.transport = transport
            $0.cache = MemoryCache()
        }
    }

    @Test func `a failure is kept for the alert`() async {
        self.transport.route("/users/2", .status(.notFound))
        let model = UserModel(client: self.client)
        await model.load("2", options: .cacheUse(.reload))
        #expect(model.user == nil)
        #expect(model.error?.recoverySuggestion == "Check the address.")
    }

    @Test func `a preview has a user`() async {
        let model = UserModel(client: .preview)
        await model.load("1")
        #expect(model.user?.nick == "Ann")
    }

    @Test func `a button sends a note`() async {
        let model = NoteModel(client: self.client)
        model.add("Buy tea")
        while model.notes.isEmpty { await Task.yield() }
        model.add("Buy milk")
        while model.message == nil { await Task.yield() }
        #expect(model.notes == ["7: Buy tea"])
        #expect(model.message == "The server could not respond.")
    }

    @Test func `cached news are shown first, and stay without a network`() async {
        let model = NewsModel(client: self.client)
        await model.load()
        #expect(model.titles == ["old"] && !model.isStale)
        await model.load()
        #expect(model.titles == ["new"] && !model.isStale)
        await model.load()
        #expect(model.titles == ["new"] && model.isStale)
    }

    @Test func `a download shows its progress and has a file`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let model = VideoModel(client: self.client)
        await model.download("tour", to: file)
        #expect(model.video == file)
        #expect(try Data(contentsOf: file) == Data("video".utf8))
    }

    @Test func `a search has the hits for its text`() async {
        let model = SearchModel(client: self.client)
        model.text = "e"
        await model.search()
        #expect(model.hits == ["hit"])
        #expect(self.transport.received.map(\.url.requestTarget) == ["/search?q=e"])
    }
}
