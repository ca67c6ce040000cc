internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "What to write for what".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct WhatToWriteExamples {
        typealias ListIssues = SeriesOfCallsExamples.ListIssues
        typealias ListOrders = SeriesOfCallsExamples.ListOrders
        typealias Search = SeriesOfCallsExamples.Search

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

        init() throws {
            self.folder = try TestFolder()
        }

        // MARK: - Sending

        @Test func `JSON is received`() async throws {
            let client = Documented.makeClient(self.transport("/v1/users/7", .json(#"{"nick":"Ann","level":3}"#)))

            struct GetUser: Endpoint {
                struct Response: Decodable, Sendable { let nick: String, level: Int }
                let id: String
                var path: EndpointPath { "users/\(self.id)" }
            }

            let user = try await client.send(GetUser(id: "7"))

            #expect(user.nick == "Ann" && user.level == 3)
        }

        @Test func `JSON is sent`() async throws {
            let transport = self.transport("/v1/notes", .json(#"{"id":1}"#))
            let client = Documented.makeClient(transport)

            struct AddNote: Endpoint {
                struct Response: Decodable, Sendable { let id: Int }
                let text: String
                var path: EndpointPath { "notes" }
                var method: HTTPMethod { .post }
                var body: RequestBody { .json(["text": self.text]) }
            }

            let note = try await client.send(AddNote(text: "Buy tea"))

            #expect(note.id == 1)
            #expect(transport.received.first?.headers["Content-Type"] == "application/json")
        }

        @Test func `a form is posted`() async throws {
            let transport = self.transport("/v1/login", .json(#"{"token":"t"}"#))
            let client = Documented.makeClient(transport)

            struct LogIn: Endpoint {
                struct Response: Decodable, Sendable { let token: String }
                let user: String, password: String
                var path: EndpointPath { "login" }
                var method: HTTPMethod { .post }
                var body: RequestBody { .form(["user": .string(self.user), "password": .string(self.password)]) }
            }

            let session = try await client.send(LogIn(user: "ann", password: "secret"))

            #expect(session.token == "t")
            #expect(
                transport.received.first?.headers["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded")
                    == true)
        }

        @Test func `a file is uploaded with progress, and a form with a file`() async throws {
            let transport = StubTransport()
            transport.route("/v1/videos/tour", method: .put, .status(.noContent))
            transport.route("/v1/photos", method: .post, .status(.noContent))
            let (client, file) = (Documented.makeClient(transport), self.folder.file("tour.mp4"))
            try Data("video".utf8).write(to: file)
            var shown: [Progress] = []
            func show(_ progress: Progress) { shown.append(progress) }

            let bar = ProgressAccessory()
            show(bar.progress)
            try await client.upload(
                PutVideo(name: "tour"), from: file, options: .uploadResumption(.automatic).accessories([bar]))
            try await client.send(PostPhoto(photo: file))

            #expect(shown.map(\.isFinished) == [true])
            #expect(transport.received.map { $0.headers["Content-Type"]?.prefix(9) } == ["video/mp4", "multipart"])
        }

        // MARK: - Settings

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

        @Test func `an API key`() throws {
            let key = "secret"

            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.headers = ["X-Api-Key": key]
            }

            #expect(try client.httpRequest(for: GetUser(userID: "1")).headers["X-Api-Key"] == "secret")
        }

        @Test func `settings of a client that are one line each`() {
            let clients = [Self.retrying(), Self.caching(), Self.coalescing(), Self.logging()]

            #expect(clients.count == 4)
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

        @Test func `a timeout for one call`() async throws {
            let client = Documented.makeClient()

            let user = try await client.send(GetUser(userID: "1"), options: .timeout(total: .seconds(5)))

            #expect(user.nick == "Ann")
        }

        @Test func `responses are cached for a time`() async throws {
            let transport = self.transport("/v1/news", .json("[]"))
            let client = Documented.makeClient(transport)

            struct GetNews: Endpoint {
                typealias Response = JSONValue
                var path: EndpointPath { "news" }
                var options: RequestOptions { .caching(.fresh(for: .seconds(300))) }
            }

            let news = try await client.send(GetNews())
            let newest = try await client.send(GetNews(), options: .cacheUse(.reload))

            #expect(news == newest)
            #expect(try await client.response(for: GetNews()).source.isCache)
            #expect(transport.receivedCount == 2)
        }

        // MARK: - Downloads and series

        @Test func `a file is downloaded with progress, and can be resumed`() async throws {
            let (client, place) = (Documented.makeClient(), self.folder.file("moon.png"))
            var shown: [Progress] = []
            func show(_ progress: Progress) { shown.append(progress) }

            let bar = ProgressAccessory()
            show(bar.progress)
            let file = try await client.download(
                GetImage(name: "moon"), to: place, resuming: .automatic, options: .accessories([bar]))

            #expect(file.size == 5)
            #expect(shown.map(\.isFinished) == [true])
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

        @Test func `all pages of a list are read`() async throws {
            let transport = StubTransport()
            transport.route(
                "/v1/issues", .json(#"["1","2"]"#, headers: ["Link": "</v1/issues?page=2>; rel=\"next\""]),
                .json(#"["3"]"#))
            transport.route("/v1/orders", .json(#"{"items":["a"],"cursor":"x"}"#), .json(#"{"items":["b"]}"#))
            let (client, shown) = (Documented.makeClient(transport), FixtureLog())
            func show(_ page: [String]) { shown.add(page.joined(separator: " ")) }

            for try await page in client.pages(ListIssues(state: "open")) { show(page) }

            let orders = client.pages(ListOrders()) { page in page.value.cursor.map { ListOrders(cursor: $0) } }
            for try await page in orders { show(page.items) }

            #expect(shown.lines == ["1 2", "3", "a", "b"])
        }

        @Test func `several requests are sent at once`() async throws {
            let (client, names) = (Documented.makeClient(), ["sun", "moon"])

            let (sun, user) = try await client.batch(GetImage(name: "sun"), GetUser(userID: "1")).value
            let images = try await client.batch(of: names.map(GetImage.init)).value

            #expect(images == [sun, sun])
            #expect(user.nick == "Ann")
        }

        // MARK: - Errors and tests

        @Test func `errors are told apart by code`() async throws {
            let client = Documented.makeClient()
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

            #expect(image == nil)
            #expect(shown == ["There is no such image."])
        }

        @Test func `a test has no network`() async throws {
            let transport = StubTransport()
            transport.route("/v1/users", .json(#"{"nick": "Ann", "level": 3, "avatar": "ann"}"#))
            let client = Client(baseURL: "https://api.example.com/v1/") { $0.transport = transport }

            let user = try await client.send(GetUser(userID: "1"))

            #expect(user.nick == "Ann")
            #expect(transport.received.first?.url.query == "id=1")
        }

        private func transport(_ path: String, _ reply: StubReply) -> StubTransport {
            let transport = StubTransport()
            transport.route(path, reply)
            return transport
        }
    }
}
