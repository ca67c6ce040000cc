internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Cookbook".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct CookbookExamples {
        typealias ListOrders = SeriesOfCallsExamples.ListOrders
        typealias GetExport = SeriesOfCallsExamples.GetExport
        typealias Search = SeriesOfCallsExamples.Search

        struct GetUser: Endpoint {
            struct Response: Decodable, Sendable { let nick: String, avatar: String }
            let id: String
            var path: EndpointPath { "users/\(self.id)" }
        }

        struct AddNote: Endpoint {
            struct Response: Decodable, Sendable { let id: Int }
            let text: String
            var path: EndpointPath { "notes" }
            var method: HTTPMethod { .post }
            var body: RequestBody { .json(["text": self.text]) }
        }

        struct LogIn: Endpoint {
            struct Response: Decodable, Sendable { let userID: String }
            let name: String, password: String
            var path: EndpointPath { "login" }
            var method: HTTPMethod { .post }
            var body: RequestBody { .form(["name": .string(self.name), "password": .string(self.password)]) }
        }

        struct FindNotes: Endpoint {
            typealias Response = [String]
            let words: String
            var page = 1
            var path: EndpointPath { "notes" }
            var parameters: Parameters { ["q": .string(self.words), "page": .int(self.page), "sort": "date"] }
        }

        struct PutVideo: Endpoint {
            typealias Response = Void
            let name: String
            var path: EndpointPath { "videos/\(self.name)" }
            var method: HTTPMethod { .put }
        }

        struct PostPhoto: Endpoint {
            typealias Response = Void
            let photo: URL
            var path: EndpointPath { "photos" }
            var method: HTTPMethod { .post }
            var body: RequestBody {
                var form = MultipartForm(["album": "summer"])
                form.append("photo", file: self.photo)
                return .multipart(form)
            }
        }

        struct GetEvents: Endpoint {
            var path: EndpointPath { "events" }
            var headers: HTTPFields { ["Accept": "text/event-stream"] }
            var options: RequestOptions { .withoutTimeout(.idle) }
        }

        struct GetNews: Endpoint {
            typealias Response = JSONValue
            var path: EndpointPath { "news" }
            var options: RequestOptions { .caching(.fresh(for: .seconds(300))) }
        }

        struct APIError: Decodable {
            let message: String
        }

        @MainActor final class SearchModel {
            private let search: LatestOnly
            private(set) var hits: [String] = []

            init(client: Client) { self.search = client.latest(debounce: .milliseconds(300)) }

            func type(_ text: String) async {
                guard let hits = try? await self.search.send(Search(text: text)) else { return }
                self.hits = hits
            }
        }

        private let folder: TestFolder
        private let transport = StubTransport()
        private let client: Client

        init() throws {
            self.folder = try TestFolder()
            self.transport.route("/v1/users/7", .json(#"{"nick":"Ann","avatar":"ann"}"#))
            self.transport.route("/v1/images/missing", .status(.notFound))
            self.transport.route("/v1/images/broken", .json(#"{"message":"It is torn."}"#, status: 422))
            self.transport.route("/v1/images/*", .data(Data("image".utf8)))
            self.transport.route("/v1/notes", method: .post, .json(#"{"id":1}"#))
            self.transport.route("/v1/notes?*", .json("[]"))
            self.transport.route("/v1/login", method: .post, .json(#"{"userID":"7"}"#))
            self.transport.route("/v1/news", .json("[]"))
            self.client = Documented.makeClient(self.transport)
        }

        // MARK: - Requests

        @Test func `JSON, forms and parameters`() async throws {
            let client = self.client

            let user = try await client.send(GetUser(id: "7"))

            let note = try await client.send(AddNote(text: "Buy tea"))

            let session = try await client.send(LogIn(name: "ann", password: "secret"))

            #expect(user.nick == "Ann" && note.id == 1 && session.userID == "7")
            let types = self.transport.received.map { $0.headers["Content-Type"]?.prefix { $0 != ";" } }
            #expect(types == [nil, "application/json", "application/x-www-form-urlencoded"])
            let url = try client.httpRequest(for: FindNotes(words: "green tea")).url
            #expect(url.requestTarget == "/v1/notes?page=1&q=green%20tea&sort=date")
        }

        @Test func `a token that is refreshed`() async throws {
            let file = self.folder.file("token")

            let login = Client(baseURL: "https://login.example.com/")
            let grant = OAuthGrant.refreshToken(at: "https://login.example.com/token", clientID: "app")
            let tokens = TokenAuthenticator(store: TokenAuthenticator.FileStore(file: file)) { token in
                try await grant.token(renewing: token, with: login)
            }
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.credentials = .authenticator(tokens)
            }

            #expect(try await tokens.token == nil)
            withExtendedLifetime(client) {}
        }

        @Test func `header fields, and an API key`() throws {
            #expect(try Self.withHeaders().httpRequest(for: GetUser(id: "7")).headers["X-Shop"] == "7")
            let key = "secret"

            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.headers = ["X-Api-Key": key]
            }

            #expect(try client.httpRequest(for: GetUser(id: "7")).headers["X-Api-Key"] == "secret")
        }

        private static func withHeaders() -> Client {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.headers = ["User-Agent": "Notes/2.1", "X-Shop": "7"]
            }
            return client
        }

        // MARK: - Transfers

        @Test func `a file is uploaded with progress, and a form with a file`() async throws {
            self.transport.route("/v1/videos/tour", method: .put, .status(.noContent))
            self.transport.route("/v1/photos", method: .post, .status(.noContent))
            let (client, file) = (self.client, self.folder.file("tour.mp4"))
            try Data("video".utf8).write(to: file)
            var shown: [Progress] = []
            func show(_ progress: Progress) { shown.append(progress) }

            let bar = ProgressAccessory()
            show(bar.progress)
            try await client.upload(
                PutVideo(name: "tour"), from: file, options: .uploadResumption(.automatic).accessories([bar]))

            let formBar = ProgressAccessory()
            show(formBar.progress)
            try await client.send(PostPhoto(photo: file), options: .accessories([formBar]))

            #expect(shown.map(\.isFinished) == [true, true])
            let types = self.transport.received.map { $0.headers["Content-Type"]?.prefix(9) }
            #expect(types == ["video/mp4", "multipart"])
        }

        @Test func `a file is downloaded with progress, and can be resumed`() async throws {
            let (client, place) = (self.client, self.folder.file("moon.png"))
            var shown: [Progress] = []
            func show(_ progress: Progress) { shown.append(progress) }

            let bar = ProgressAccessory()
            show(bar.progress)
            let file = try await client.download(
                GetImage(name: "moon"), to: place, resuming: .automatic, options: .accessories([bar]))

            #expect(file.size == 5)
            #expect(shown.map(\.isFinished) == [true])
        }

        @Test func `events are read line by line`() async throws {
            let server = try LoopbackServer()
            server.route("GET", "/events", .text("data: one\n\ndata: tw\u{f6}\n\n"))
            let (client, log) = (Client(baseURL: server.baseURL), FixtureLog())
            @Sendable func show(_ text: Substring) { log.add(String(text)) }

            try await client.stream(GetEvents()) { response in
                var rest = Data()
                for try await chunk in response.body {
                    rest += chunk
                    while let end = rest.firstIndex(of: 0x0A) {
                        let line = String(decoding: rest[..<end], as: UTF8.self)
                        rest = Data(rest[(end + 1)...])
                        if line.hasPrefix("data:") { show(line.dropFirst(5)) }
                    }
                }
            }

            #expect(log.lines == [" one", " tw\u{f6}"])
            await client.shutdown()
            server.stop()
        }

        // MARK: - Many requests

        @Test func `several requests are sent at once, a few at a time, and in sequence`() async throws {
            let (client, names, log) = (self.client, ["sun", "missing"], FixtureLog())
            func show(_ name: String, _ count: Int) { log.add("\(name) \(count)") }
            func show(_ name: String, _ error: ErrandError) { log.add("\(name) \(error.code)") }

            let calls = names.map(GetImage.init)
            for await outcome in client.outcomes(of: calls, width: 4, order: .completion) {
                switch outcome.result {
                case .success(let image): show(outcome.endpoint.name, image.count)
                case .failure(let error): show(outcome.endpoint.name, error)
                }
            }

            let avatar = try await client.chain(LogIn(name: "ann", password: "secret"))
                .then { session in GetUser(id: session.userID) }
                .then { user in GetImage(name: user.avatar) }
                .value

            #expect(log.lines.sorted() == ["missing unacceptableStatus", "sun 5"])
            #expect(try await self.batch(of: ["moon"]) == [avatar])
        }

        private func batch(of names: [String]) async throws -> [Data] {
            let (sun, user) = try await client.batch(GetImage(name: "sun"), GetUser(id: "7")).value
            let images = try await client.batch(of: names.map(GetImage.init)).value
            #expect(sun == images.first && user.nick == "Ann")
            return images
        }

        @Test func `all pages of a list are read`() async throws {
            self.transport.route(
                "/v1/orders*", .json(#"{"items":["a"],"cursor":"x"}"#), .json(#"{"items":["b"]}"#))
            let (client, shown) = (self.client, FixtureLog())
            func show(_ page: [String]) { shown.add(page.joined(separator: " ")) }

            let orders = client.pages(ListOrders()) { page in page.value.cursor.map { ListOrders(cursor: $0) } }
            for try await page in orders { show(page.items) }

            #expect(shown.lines == ["a", "b"])
        }

        @Test func `a search sends the newest text`() async throws {
            let world = FixtureWorld { $0.options = .withoutTimeout() }
            world.transport.route("/search", .json(#"["hit"]"#))
            let model = await SearchModel(client: world.client)
            let typing = Task { await model.type("e") }
            await world.clock.waitForSleeper()
            let more = Task { await model.type("er") }
            await typing.value
            await fixtureUntil { world.client.environment.deadlines.count == 1 }
            world.clock.advance(by: .milliseconds(300))
            await more.value
            #expect(await model.hits == ["hit"])
            #expect(world.transport.received.map(\.url.requestTarget) == ["/search?q=er"])
        }

        @Test func `a request is cancelled by itself and by its tag`() async throws {
            let client = Documented.makeClient(Documented.makeSilentTransport())

            let request = client.request(GetImage(name: "sun"), options: .tag("gallery"))
            await request.start()

            request.cancel()
            await client.record.cancel(tag: "gallery")

            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .cancelled)
        }

        // MARK: - Settings

        @Test func `settings of a client that are one line each`() {
            let clients = [
                Self.retrying(), Self.caching(), Self.coalescing(), Self.logging(), Self.waiting(),
                Self.keepingCookies(), Self.pinning(), Self.overProxy(),
            ]

            #expect(clients.count == 8)
        }

        private static func retrying() -> Client {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.options = .retries(.standard)
            }
            return client
        }

        private static func caching() -> Client {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.options = .caching(.http)
            }
            return client
        }

        private static func coalescing() -> Client {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.options = .coalescing()
            }
            return client
        }

        private static func logging() -> Client {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.accessories = [LoggingAccessory()]
            }
            return client
        }

        private static func waiting() -> Client {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.options = .connectivity(.wait(upTo: .seconds(60)))
            }
            return client
        }

        private static func keepingCookies() -> Client {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.cookies = .perClient
            }
            return client
        }

        private static func pinning() -> Client {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                let pin = TLSPolicy.PublicKeyPin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
                let backupPin = TLSPolicy.PublicKeyPin("sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA=")
                $0.network.tls.hosts["api.example.com"] = TLSPolicy.Rules(pins: [pin, backupPin])
            }
            return client
        }

        private static func overProxy() -> Client {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.network.proxy = .url("http://proxy.example.com:3128", bypass: ["localhost"])
            }
            return client
        }

        @Test func `timeouts for one call`() async throws {
            let client = self.client

            let user = try await client.send(
                GetUser(id: "7"), options: .timeout(attempt: .seconds(2), total: .seconds(5)))

            #expect(user.nick == "Ann")
        }

        // MARK: - The cache

        @Test func `responses are cached for a time, and shown before the new ones`() async throws {
            let (client, log) = (self.client, FixtureLog())
            func show(_ news: JSONValue, _ isCached: Bool) { log.add("\(news) \(isCached)") }

            let news = try await client.send(GetNews())
            let newest = try await client.send(GetNews(), options: .cacheUse(.reload))

            for try await response in client.responses(for: GetNews()) {
                show(response.value, response.source.isCache)
            }

            #expect(news == newest)
            #expect(log.lines == ["[] true", "[] false"])
            #expect(self.transport.receivedCount == 3)
        }

        // MARK: - Errors, logs and tests

        @Test func `errors are told apart by code, and by what the server says`() async throws {
            let client = self.client
            var (image, shown): (Data?, [String]) = (nil, [])
            func show(_ text: String) { shown.append(text) }

            do throws(ErrandError) {
                image = try await client.send(GetImage(name: "missing"))
            } catch {
                switch error.code {
                case .unacceptableStatus where error.context.status == .notFound: show("There is no such image.")
                case .hostNotFound, .cannotConnect, .connectionLost, .timedOut: show("You are offline.")
                case .cancelled: break
                default: show(error.localizedDescription)
                }
            }

            do throws(ErrandError) {
                image = try await client.send(GetImage(name: "broken"))
            } catch {
                let problem = try? error.decode(APIError.self)
                show(problem?.message ?? error.localizedDescription)
            }

            #expect(image == nil)
            #expect(shown == ["There is no such image.", "It is torn."])
        }

        @Test func `a request is printed as a command`() throws {
            let client = self.client

            print(try client.curlCommand(for: AddNote(text: "Buy tea")))

            #expect(try client.curlCommand(for: AddNote(text: "Buy tea")).hasPrefix("curl"))
        }

        @Test func `a test has no network`() async throws {
            let transport = StubTransport()
            transport.route("/v1/users/*", .json(#"{"nick": "Ann", "avatar": "ann"}"#))
            let client = Client(baseURL: "https://api.example.com/v1/") { $0.transport = transport }

            let user = try await client.send(GetUser(id: "7"))

            #expect(user.nick == "Ann")
            #expect(transport.received.first?.url.path == "/v1/users/7")
        }
    }
}
