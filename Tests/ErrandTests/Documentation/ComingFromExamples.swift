internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the articles for those who come from YTKNetwork, AFNetworking and Alamofire.
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct ComingFromExamples {
        typealias UploadPhoto = EncodingExamples.UploadPhoto
        typealias AddOffer = EncodingExamples.AddOffer

        struct LogIn: Endpoint {
            struct Login: Encodable, Sendable {
                let user: String
                let password: String
            }

            struct Response: Decodable, Sendable {
                let token: String
            }

            let login: Login

            var path: EndpointPath { "logins" }
            var method: HTTPMethod { .post }
            var body: RequestBody { .json(self.login) }
        }

        struct GetPhoto: Endpoint {
            let name: String
            var path: EndpointPath { "photos/\(self.name)" }
            var baseURL: BaseURL { .cdn }
        }

        struct AddPhoto: Endpoint {
            let photo: URL
            var path: EndpointPath { "photos" }
            var method: HTTPMethod { .post }
            var body: RequestBody {
                var form = MultipartForm()
                form.append("photo", file: self.photo)
                return .multipart(form)
            }
        }

        actor TokenStore {
            private(set) var token = "old"

            func refresh() throws -> String {
                self.token = "new"
                return self.token
            }
        }

        struct TokenInterceptor: Interceptor {
            let store: TokenStore

            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                var request = request
                request.headers["Authorization"] = "Bearer \(await self.store.token)"
                let response = try await next(request)
                guard response.status == .unauthorized else { return response }
                request.headers["Authorization"] = "Bearer \(try await self.store.refresh())"
                return try await next(request)
            }
        }

        struct UploadBar: Accessory {
            let show: @Sendable (Double) -> Void

            func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
                guard case .sent(let progress) = event, let total = progress.total, total > 0 else { return }
                self.show(Double(progress.bytes) / Double(total))
            }
        }

        struct ShowsHUD: AsyncAccessory {
            let hud: HUD

            func willStart(_ activity: RequestActivity) async {
                await self.hud.show()
            }

            func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
                await self.hud.hide()
            }
        }

        @MainActor
        final class HUD {
            private(set) var calls: [String] = []

            func show() { self.calls.append("show") }
            func hide() { self.calls.append("hide") }
        }

        @MainActor
        final class Screen {
            private(set) var shown: [String] = []

            func show(_ text: String) { self.shown.append(text) }

            func waitForText() async -> String {
                while self.shown.isEmpty { await Task.yield() }
                return self.shown[0]
            }
        }

        /// Keeps the share that was shown last; hooks that observe come from any thread.
        final class Bar: Sendable {
            private let last = AsyncStream.makeStream(of: Double.self, bufferingPolicy: .bufferingNewest(1))

            func show(_ share: Double) { self.last.continuation.yield(share) }

            func value() async -> Double? {
                self.last.continuation.finish()
                return await self.last.stream.first { _ in true }
            }
        }

        // MARK: - Before, and after

        @Test @MainActor func `a POST with closures`() async throws {
            let transport = StubTransport()
            transport.route("/v1/logins", method: .post, .json(#"{"token":"t"}"#))
            let client = Documented.makeClient(transport)
            let screen = Screen()
            let login = LogIn.Login(user: "ann", password: "secret")

            client.request(LogIn(login: login)).start { session in
                screen.show(session.token)
            } onFailure: { error in
                screen.show(error.message)
            }

            #expect(await screen.waitForText() == "t")
        }

        @Test @MainActor func `a request with closures`() async throws {
            let client = Documented.makeClient()
            let screen = Screen()

            client.request(GetUser(userID: "1")).start { user in
                screen.show(user.nick)
            } onFailure: { error in
                screen.show(error.message)
            }

            #expect(await screen.waitForText() == "Ann")
        }

        @Test @MainActor func `a registration, with closures and without`() async throws {
            let client = Documented.makeClient()
            let screen = Screen()

            let account = try await client.send(Register(name: "Ann", password: "secret"))

            client.request(Register(name: "Ann", password: "secret")).start { account in
                screen.show(account.userID)
            } onFailure: { error in
                screen.show(error.message)
            }

            #expect(await screen.waitForText() == account.userID)
        }

        @Test func `an adapter and a retrier in one`() async throws {
            let transport = StubTransport()
            transport.route(where: { $0.headers["Authorization"] == "Bearer new" }, .text("in"))
            transport.route("*", .status(.unauthorized))
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.interceptors = [TokenInterceptor(store: TokenStore())]
            }

            #expect(try await client.response(for: GetImage(name: "sun")).attempts == 2)
        }

        @Test func `an upload with its progress`() async throws {
            let server = try LoopbackServer()
            server.route("POST", "/photos", .status(204))
            let client = Client(baseURL: server.baseURL)
            let folder = try FixtureFolder()
            let photo = try folder.file("sun.jpg", Data(count: 100_000))
            let bar = Bar()

            let upload = UploadPhoto(photo: photo, album: "summer")
            try await client.send(upload, options: .accessories([UploadBar { bar.show($0) }]))

            #expect(await bar.value() == 1)
            await client.shutdown()
            server.stop()
        }

        @Test func `a configuration`() throws {
            let transport = StubTransport()

            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.baseURLs.cdn = "https://cdn.example.com/"
                $0.baseURLs.pathFilters = [.query(["app": "1.2"])]
            }

            let url = try client.httpRequest(for: GetImage(name: "sun")).url
            #expect(url.string == "https://api.example.com/v1/images/sun?app=1.2")
        }

        @Test func `a download from a CDN, and an upload`() async throws {
            let transport = StubTransport()
            transport.route("https://cdn.example.com/photos/sun.jpg", .data(Data("sun".utf8)))
            transport.route("https://api.example.com/v1/photos", method: .post, .status(.created))
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.baseURLs.cdn = "https://cdn.example.com/"
            }
            let folder = try TestFolder()
            let place = folder.file("sun.jpg")

            let file = try await client.download(GetPhoto(name: "sun.jpg"), to: place, resuming: .automatic)
            _ = try await client.send(AddPhoto(photo: file.url))

            #expect(transport.received.map(\.url.host) == ["cdn.example.com", "api.example.com"])
            #expect(transport.received.last?.headers["Content-Type"]?.hasPrefix("multipart/form-data") == true)
        }

        @Test func `each option of the table for YTKNetwork is one`() throws {
            let url = try #require(URL(string: "file:///pictures/sun.jpg"))
            let request = RequestOptions.parameterEncoding(.json).timeout(idle: .seconds(20))
                .credentials(.own(.basic(user: "ann", password: "secret")))
                .networks(AllowedNetworks(cellular: false)).priority(.high)
                .destination(.file(url, resuming: .automatic)).tag("profile").userInfo(["id": 7])
            let cache = RequestOptions.caching(.fresh(for: .seconds(180), version: 2, scope: "ann"))
                .cacheParameters(["id": .string("1")]).cacheUse(.reload)

            #expect(
                "\(request)"
                    == "RequestOptions(parameterEncoding, timeout.idle, credentials, networks, priority, destination, tag, "
                    + "userInfo)")
            #expect("\(cache)" == "RequestOptions(caching, cacheParameters, cacheUse)")
        }

        @Test func `a HUD`() async throws {
            let hud = HUD()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = Documented.makeTransport()
                $0.accessories = [ShowsHUD(hud: hud)]
            }

            _ = try await client.send(GetImage(name: "sun"))

            #expect(await hud.calls == ["show", "hide"])
        }

        @Test func `JSON with a field for all calls`() async throws {
            let transport = StubTransport()
            transport.route("/v1/offers", .status(201))

            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.headers = ["X-Shop": "7"]
            }
            _ = try await client.send(AddOffer(title: "Boots"))

            #expect(transport.received.first?.headers["X-Shop"] == "7")
        }
    }
}
