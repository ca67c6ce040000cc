internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Interceptors".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct InterceptorsExamples {
        struct APIKey: Interceptor {
            let key: String

            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                var request = request
                request.headers["X-Api-Key"] = self.key
                return try await next(request)
            }
        }

        struct OneMoreTry: Interceptor {
            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                do throws(ErrandError) {
                    return try await next(request)
                } catch {
                    guard request.method.isIdempotent, error.code == .connectionLost else { throw error }
                    return try await next(request)
                }
            }
        }

        struct Retry: Interceptor {
            var limit = 3
            var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]
            var codes: Set<ErrandError.Code> = [.connectionLost, .cannotConnect, .hostNotFound, .timedOut]
            var clock: any Clock<Duration> = ContinuousClock()

            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                guard request.method.isIdempotent else { return try await next(request) }
                for attempt in 0..<self.limit {
                    do throws(ErrandError) {
                        let response = try await next(request)
                        guard self.statuses.contains(response.status.code) else { return response }
                    } catch {
                        guard self.codes.contains(error.code) else { throw error }
                    }
                    let pause = Duration.seconds(1 << attempt) * Double.random(in: 0.5...1)
                    try await self.clock.sleep(for: pause)
                }
                return try await next(request)
            }
        }

        struct Login: Endpoint {
            struct Response: Decodable, Sendable {
                let token: String
            }

            var path: EndpointPath { "token" }
            var method: HTTPMethod { .post }
        }

        actor Tokens {
            private let client: Client
            private var current: Request<Login>?

            init(client: Client) {
                self.client = client
            }

            func token() async throws -> String {
                let request = self.current ?? self.client.request(Login())
                self.current = request
                await request.start()
                do {
                    return try await request.value.token
                } catch {
                    // One who was cancelled leaves alone: the login goes on for the others.
                    if await request.state == .failed, self.current === request { self.current = nil }
                    throw error
                }
            }

            func discard(_ token: String) async {
                guard let request = self.current, (try? await request.value.token) == token, self.current === request
                else { return }
                self.current = nil
            }
        }

        struct Authorized: Interceptor {
            let tokens: Tokens
            let origin: String

            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                guard request.url.origin == self.origin else { return try await next(request) }
                let token = try await self.tokens.token()
                let response = try await next(self.request(request, with: token))
                guard response.status == .unauthorized else { return response }
                await self.tokens.discard(token)
                return try await next(self.request(request, with: self.tokens.token()))
            }

            private func request(_ request: HTTPRequest, with token: String) -> HTTPRequest {
                var request = request
                request.headers["Authorization"] = "Bearer \(token)"
                return request
            }
        }

        struct GetLinked: Endpoint {
            let url: URL

            var path: EndpointPath { .url(self.url) }
        }

        struct Renewal: Authenticator {
            let client: Client

            func credential(for context: AuthenticationContext) async throws -> HTTPCredential? {
                .bearer(try await self.client.send(Login()).token)
            }
        }

        @Test func `a token that is renewed when it is refused`() async throws {
            let (transport, logins) = (StubTransport(), StubTransport())
            transport.route("/v1/images/sun", .status(.unauthorized), .data(Data("sun".utf8)))
            logins.route("/v1/token", .json(#"{"token": "t1"}"#))
            let other = Documented.makeClient(logins)

            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.credentials = .authenticator(Renewal(client: other))
            }

            #expect(try await client.send(GetImage(name: "sun")) == Data("sun".utf8))
            #expect(transport.received.map { $0.headers["Authorization"] } == [nil, "Bearer t1"])
        }

        struct Maintenance: Interceptor {
            let isOn: @Sendable () -> Bool

            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                guard self.isOn() else { return try await next(request) }
                return HTTPResponse(status: 503, headers: ["Retry-After": "600"])
            }
        }

        private func client(_ transport: StubTransport, _ interceptor: any Interceptor) -> Client {
            Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.interceptors = [interceptor]
            }
        }

        @Test func `a key for all calls`() async throws {
            let transport = Documented.makeTransport()

            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.interceptors = [APIKey(key: "secret"), URLFilter(query: ["lang": "en"])]
                $0.credentials.secretHeaders = ["X-Api-Key"]
            }

            _ = try await client.send(GetUser(userID: "1"))
            #expect(transport.received.first?.headers["X-Api-Key"] == "secret")
            #expect(transport.received.first?.url.query == "id=1&lang=en")
        }

        @Test func `a lost connection is tried once more`() async throws {
            let transport = StubTransport()
            transport.route("/v1/images/sun", .failure(.connectionLost), .data(Data("sun".utf8)))
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.interceptors = [OneMoreTry()]
            }

            let response = try await client.response(for: GetImage(name: "sun"))

            #expect(response.attempts == 2)
        }

        @Test func `tried again after a pause`() async throws {
            let clock = TestClock()
            let transport = StubTransport()
            transport.route(
                "/v1/images/sun", .failure(.connectionLost), .status(503), .data(Data("sun".utf8)))
            let client = self.client(transport, Retry(clock: clock))

            let request = client.request(GetImage(name: "sun"))
            await request.start()
            for _ in 0..<2 {
                await clock.waitForSleeper()
                clock.advance(by: .seconds(2))
            }

            #expect(try await request.response.attempts == 3)
        }

        @Test func `not tried again: a POST, and what another try would not mend`() async throws {
            let transport = StubTransport()
            transport.route("/v1/*", .status(.notFound))
            transport.route("/v1/accounts", method: .post, .status(503))
            let client = self.client(transport, Retry(clock: TestClock()))

            let error = await #expect(throws: ErrandError.self) { try await client.send(GetImage(name: "sun")) }
            #expect(error?.context.attempts == 1)
            await #expect(throws: ErrandError.self) {
                try await client.send(Register(name: "Ann", password: "secret"))
            }
            #expect(transport.receivedCount == 2)
        }

        @Test func `one new token for all who need one`() async throws {
            let transport = StubTransport()
            transport.route(where: { $0.headers["Authorization"] == "Bearer t2" }, .data(Data("image".utf8)))
            transport.route("/v1/images/*", .status(.unauthorized))
            transport.route(where: { $0.url.path == "/token" }) { _, use in .json(#"{"token":"t\#(use)"}"#) }
            let login = Client(baseURL: "https://login.example.com/") { $0.transport = transport }
            let client = self.client(
                transport, Authorized(tokens: Tokens(client: login), origin: "https://api.example.com"))

            let images = try await client.batch(of: (0..<20).map { GetImage(name: "\($0)") }).value

            #expect(images.count == 20)
            #expect(transport.received.count { $0.url.path == "/token" } == 2)

            transport.route("https://elsewhere.example/*", .data(Data("page".utf8)))
            let elsewhere = try #require(URL(string: "https://elsewhere.example/page"))
            _ = try await client.send(GetLinked(url: elsewhere))
            #expect(transport.received.last?.url.host == "elsewhere.example")
            #expect(transport.received.last?.headers["Authorization"] == nil)
        }

        @Test func `in any order, tokens are fetched once for all, and no one suffers from another's leaving`()
            async throws
        {
            try await Simulation.explore(schedules: 500) { simulation in
                let transport = StubTransport()
                let images = StubReply.data(Data("image".utf8)).delayed(by: .seconds(1), on: simulation.clock)
                transport.route(where: { $0.headers["Authorization"] == "Bearer t2" }, images)
                transport.route("/v1/images/*", .status(.unauthorized).delayed(by: .seconds(1), on: simulation.clock))
                transport.route(where: { $0.url.path == "/token" }) { _, use in
                    .json(#"{"token":"t\#(use)"}"#).delayed(by: .seconds(2), on: simulation.clock)
                }
                func client(_ baseURL: String, _ interceptors: [any Interceptor]) -> Client {
                    Client(baseURL: baseURL) {
                        ($0.transport, $0.interceptors) = (transport, interceptors)
                        $0.environment.clock = simulation.clock
                    }
                }
                let tokens = Tokens(client: client("https://login.example.com/", []))
                let authorized = Authorized(tokens: tokens, origin: "https://api.example.com")
                let api = client("https://api.example.com/v1/", [authorized])

                let arrived = await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<4 {
                        group.addTask { (try? await api.send(GetImage(name: "\(number)"))) != nil }
                    }
                    group.addTask {
                        await withTaskGroup { impatient in
                            impatient.addTask { _ = try? await api.send(GetImage(name: "impatient")) }
                            try? await simulation.clock.sleep(for: .seconds(simulation.random.int(in: 0..<7)))
                            impatient.cancelAll()
                        }
                        return true
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }

                try #require(arrived == [true, true, true, true, true])
                try #require(transport.received.count { $0.url.path == "/token" } == 2)
            }
        }

        @Test func `answered without the network`() async throws {
            let transport = Documented.makeTransport()
            let client = self.client(transport, Maintenance { true })

            let error = await #expect(throws: ErrandError.self) { try await client.send(GetImage(name: "sun")) }

            #expect(error?.context.status == .serviceUnavailable)
            #expect(transport.receivedCount == 0)
        }
    }
}
