internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples that several pages show.
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct SharedExamples {
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
    }
}
