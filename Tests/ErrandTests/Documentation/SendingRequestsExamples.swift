internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Sending requests".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct SendingRequestsExamples {
        typealias OneMoreTry = InterceptorsExamples.OneMoreTry

        @MainActor
        final class Profile {
            var nick = ""

            func show(_ nick: String, _ image: Data) { self.nick = "\(nick) \(image.count)" }
        }

        @Test func `the call of the landing page`() async throws {
            let client = Documented.makeClient()

            let image = try await client.send(GetImage(name: "sun"))

            #expect(image == Data("image".utf8))
        }

        @Test func `a client is set up`() async throws {
            let transport = Documented.makeTransport()

            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.headers = ["Accept": "application/json", "User-Agent": "Example/1.0"]
                $0.options = .timeout(connect: .seconds(20), idle: .seconds(30))
                $0.limits.concurrency = RequestScheduler.Limits(total: 32, perHost: 4)
                $0.limits.responseBody = 8 << 20
                $0.cache = MemoryCache(capacity: 4 << 20)
                $0.interceptors = [OneMoreTry()]
            }

            let request = try client.httpRequest(for: GetUser(userID: "1"))
            #expect(request.headers["User-Agent"] == "Example/1.0")
        }

        @Test func `options are said of a client, an endpoint and a call`() {
            // It has the network of a real app, so it is not run.
            let example: @Sendable () async throws -> Void = {
                struct GetNews: Endpoint {
                    var path: EndpointPath { "news" }
                    var options: RequestOptions { .caching(.fresh(for: .seconds(180))).timeout(total: .seconds(10)) }
                }

                let client = Client(baseURL: "https://api.example.com/v1/") {
                    $0.options = .retries(.standard).timeout(total: .seconds(30))
                }

                let news = try await client.send(GetNews(), options: .priority(.high).timeout(total: .seconds(2)))

                _ = news
            }
            _ = example
        }

        @Test func `an answer from the cache`() async throws {
            let client = Documented.makeClient()

            _ = try await client.send(GetUser(userID: "1"))
            let again = try await client.response(for: GetUser(userID: "1"))
            let isStored = again.source.isCache

            #expect(isStored)
        }

        @Test @MainActor func `code that cannot wait`() async throws {
            let client = Documented.makeClient()
            let profile = Profile()
            let request = client.request(GetUser(userID: "1"))

            request.start { user in
                profile.nick = user.nick
            } onFailure: { error in
                profile.nick = error.message
            }

            _ = try await request.value
            for await state in await request.states where state == .finished { break }
            while profile.nick.isEmpty { await Task.yield() }
            #expect(profile.nick == "Ann")
        }

        @Test @MainActor func `a batch with closures`() async throws {
            let client = Documented.makeClient()
            let profile = Profile()

            let batch = client.batch(GetImage(name: "sun"), GetUser(userID: "1"))
            batch.start { sun, user in
                profile.show(user.nick, sun)
            } onFailure: { error in
                profile.nick = error.message
            }

            while profile.nick.isEmpty { await Task.yield() }
            #expect(profile.nick == "Ann 5")
        }

        @Test func `what is in flight`() async throws {
            let client = Documented.makeClient(Documented.makeSilentTransport())
            let request = client.request(GetUser(userID: "1"))
            await request.start()

            for entry in await client.record.snapshot() {
                print(entry.id, entry.kind, entry.name, entry.state, entry.tag ?? "without a tag")
            }

            #expect(await client.record.snapshot().map(\.name) == ["GetUser"])
            request.cancel()
        }
    }
}
