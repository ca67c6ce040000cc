internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Testing

extension Documented {
    /// The examples of the README.
    @Suite(.timeLimit(.minutes(5)))
    struct ReadmeExamples {
        actor InFlightCount: Accessory {
            private(set) var count = 0

            func didStart(_ activity: Activity) async {
                self.count += 1
            }

            func didStop(_ activity: Activity, _ end: ActivityEnd) async {
                self.count -= 1
            }
        }

        struct BearerToken: Interceptor {
            let token: @Sendable () async throws -> String

            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                var request = request
                request.headers["Authorization"] = "Bearer \(try await self.token())"
                return try await next(request)
            }
        }

        // MARK: - One call

        @Test func `a client is made`() {
            let client = Client(baseURL: "https://api.example.com/v1/")

            withExtendedLifetime(client) {}
        }

        @Test func `a call is sent`() async throws {
            let client = Documented.makeClient()

            let user = try await client.send(GetUser(userID: "1"))

            #expect(user.nick == "Ann")
        }

        @Test func `a response says more than the value`() async throws {
            let client = Documented.makeClient()

            let response = try await client.response(for: GetUser(userID: "1"))
            let summary = "\(response.value.nick): \(response.head.status), attempts \(response.attempts)"

            #expect(summary == "Ann: 200 OK, attempts 1")
        }

        @Test func `what is stored is shown first`() async throws {
            let client = Documented.makeClient()
            var shown: [String] = []
            _ = try await client.send(GetUser(userID: "1"))

            for try await response in client.responses(for: GetUser(userID: "1")) {
                shown.append("\(response.value.nick) \(response.source.isCache ? "as stored" : "as it is now")")
            }

            #expect(shown == ["Ann as stored", "Ann as it is now"])
        }

        @Test func `an error has a code`() async throws {
            let client = Documented.makeClient()

            do throws(ErrandError) {
                _ = try await client.send(GetImage(name: "missing"))
            } catch {
                switch error.code {
                case .unacceptableStatus where error.context.status == .notFound: break  // there is no such image
                case .cancelled: break  // nobody wants to know
                default: throw error
                }
            }
        }

        @Test func `a request is watched`() async throws {
            let client = Documented.makeClient()

            let request = client.request(GetUser(userID: "1"))
            await request.start()
            var seen: [RequestState] = []
            for await state in await request.states { seen.append(state) }
            let user = try await request.value

            #expect(seen.last == .finished)
            #expect(user.level == 3)
        }

        // MARK: - Many calls

        @Test func `a batch of several types`() async throws {
            let client = Documented.makeClient()

            let (sun, moon, user) = try await client.batch(
                GetImage(name: "sun"), GetImage(name: "moon"), GetUser(userID: "1")
            ).value

            #expect(sun == moon)
            #expect(user.nick == "Ann")
        }

        @Test func `a batch that collects outcomes`() async throws {
            let client = Documented.makeClient()
            let names = ["sun", "missing", "moon"]
            var images: [String: Data] = [:]
            var problems: [String] = []

            let outcomes = await client.batch(of: names.map(GetImage.init), failure: .collectAll).outcomes
            for (name, outcome) in zip(names, outcomes) {
                switch outcome {
                case .success(let image): images[name] = image
                case .failure(let error): problems.append("\(name): \(error.code)")
                }
            }

            #expect(images.count == 2)
            #expect(problems == ["missing: unacceptableStatus"])
        }

        @Test func `a streamed batch`() async throws {
            let client = Documented.makeClient()
            var levels = 0

            for await outcome in client.outcomes(of: 1...1000, width: 16, making: { GetUser(userID: String($0)) }) {
                if case .success(let user) = outcome.result { levels += user.level }
            }

            #expect(levels == 3000)
        }

        @Test func `a chain`() async throws {
            let client = Documented.makeClient()

            let avatar = try await client.chain(Register(name: "Ann", password: "secret"))
                .then { account in GetUser(userID: account.userID) }
                .then { user in GetImage(name: user.avatar) }
                .value

            #expect(avatar == Data("image".utf8))
        }

        @Test func `a chain that grows`() async throws {
            let transport = Documented.makeTransport()
            let client = Documented.makeClient(transport)

            let chain = client.chain()
            try await chain.add(Register(name: "Ann", password: "secret")) { account, chain in
                try await chain.add(GetUser(userID: account.userID)) { user, chain in
                    if user.level > 2 { try await chain.add(GetImage(name: user.avatar)) }
                }
            }
            try await chain.value

            #expect(transport.received.map(\.url.path) == ["/v1/accounts", "/v1/users", "/v1/images/ann"])
        }

        // MARK: - Around calls

        @Test func `an accessory and an interceptor`() async throws {
            let transport = Documented.makeTransport()

            let inFlight = InFlightCount()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.accessories = [inFlight]
                $0.interceptors = [BearerToken { "secret" }, URLFilter(query: ["lang": "en"])]
            }

            _ = try await client.send(GetUser(userID: "1"))
            #expect(await inFlight.count == 0)
            #expect(transport.received.first?.headers["Authorization"] == "Bearer secret")
            #expect(transport.received.first?.url.query == "id=1&lang=en")
        }

        @Test func `what is in flight is cancelled`() async throws {
            let client = Documented.makeClient(Documented.makeSilentTransport())
            let request = client.request(GetUser(userID: "1"), options: RequestOptions(tag: "profile"))
            await request.start()

            await request.cancel()
            await client.record.cancel(tag: "profile")
            await client.cancelAll()
            await client.shutdown()

            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .cancelled)
        }

        // MARK: - Tests

        @Test func `shows the nick of a user`() async throws {
            let transport = StubTransport()
            transport.route("/v1/users", .json(#"{"nick":"Ann","level":3,"avatar":"ann"}"#))
            let client = Client(baseURL: "https://api.example.com/v1/") { $0.transport = transport }

            let user = try await client.send(GetUser(userID: "1"))

            #expect(user.nick == "Ann")
            #expect(transport.received.first?.url.query == "id=1")
        }

        @Test func `gives up after half a minute`() async throws {
            let clock = TestClock()
            let transport = StubTransport()
            transport.route("/v1/users", .status(200).held(by: StubGate()))
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.clock = clock
                $0.timeouts = Timeouts(attempt: .seconds(30))
            }

            let request = client.request(GetUser(userID: "1"))
            await request.start()
            await clock.waitForSleeper()
            clock.advance(by: .seconds(30))

            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .timedOut)
        }

        @Test func `stays within its limits whatever the interleaving`() async throws {
            try await Simulation.explore(seeds: 0..<200) { simulation in
                let transport = StubTransport()
                transport.route("/v1/*", .status(200).delayed(by: .seconds(1), on: simulation.clock))
                let client = Client(baseURL: "https://api.example.com/v1/") {
                    $0.transport = transport
                    $0.clock = simulation.clock
                    $0.limits = Scheduler.Limits(total: 4, perHost: 2)
                }

                _ = try await client.batch(of: (0..<6).map { GetImage(name: "\($0)") }).value

                try #require(transport.peakCount == 2)
            }
        }
    }
}
