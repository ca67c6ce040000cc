internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Testing

extension Documented {
    /// The examples of the article "Interceptors".
    @Suite(.timeLimit(.minutes(60)))
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

        actor Tokens {
            private let fetch: @Sendable () async throws -> String
            private var current: Task<String, any Error>?

            init(fetch: @escaping @Sendable () async throws -> String) {
                self.fetch = fetch
            }

            func token() async throws -> String {
                let task = self.current ?? Task { try await self.fetch() }
                self.current = task
                do {
                    return try await task.value
                } catch {
                    if self.current == task { self.current = nil }
                    throw error
                }
            }

            func discard(_ token: String) async {
                guard let task = self.current, (try? await task.value) == token, self.current == task else { return }
                self.current = nil
            }
        }

        struct Authorized: Interceptor {
            let tokens: Tokens

            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
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

        struct Maintenance: Interceptor {
            let isOn: @Sendable () -> Bool

            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                guard self.isOn() else { return try await next(request) }
                return HTTPResponse(status: 503, headers: ["Retry-After": "600"])
            }
        }

        /// Makes tokens, and counts them.
        actor Mint {
            private(set) var count = 0

            func make() -> String {
                self.count += 1
                return "t\(self.count)"
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
                $0.secretHeaders = ["X-Api-Key"]
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
            let mint = Mint()
            let transport = StubTransport()
            transport.route(where: { $0.headers["Authorization"] == "Bearer t2" }, .data(Data("image".utf8)))
            transport.route("/v1/*", .status(.unauthorized))
            let client = self.client(transport, Authorized(tokens: Tokens { await mint.make() }))

            let images = try await client.batch(of: (0..<20).map { GetImage(name: "\($0)") }).value

            #expect(images.count == 20)
            #expect(await mint.count == 2)
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
