internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Testing

extension Documented {
    /// The examples of the article "Getting started".
    @Suite(.timeLimit(.minutes(5)))
    struct GettingStartedExamples {
        struct Rename: Endpoint {
            typealias Response = Void

            let userID: String
            let nick: String

            var path: String { "users/\(self.userID)" }
            var method: HTTPMethod { .patch }
            var headers: HTTPFields { ["If-Match": "*"] }
            var body: RequestBody { .json(["nick": self.nick]) }
            var validation: ResponseValidation { ResponseValidation(statusCodes: [200, 204] as Set) }
            var timeouts: Timeouts? { Timeouts(attempt: .seconds(10), total: .seconds(30)) }
            var priority: RequestPriority { .high }
        }

        struct GetHoliday: Endpoint {
            typealias Response = Date

            var path: String { "holiday" }

            func decode(_ response: HTTPResponse) throws -> Date {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .iso8601
                return try JSONResponseDecoder<[Date]>(decoder).decode(response)[0]
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

        @MainActor
        final class Profile {
            var nick = ""
        }

        @Test func `a call that says more`() async throws {
            let transport = StubTransport()
            transport.route("/v1/users/7", method: .patch, .status(.noContent))
            let client = Documented.makeClient(transport)

            try await client.send(Rename(userID: "7", nick: "Ann"))

            #expect(transport.received.first?.headers["Content-Type"] == "application/json")
        }

        @Test func `a call with a decoder of its own`() async throws {
            let transport = StubTransport()
            transport.route("/v1/holiday", .json(#"["2001-01-01T00:00:00Z"]"#))
            let client = Documented.makeClient(transport)

            #expect(try await client.send(GetHoliday()) == Date(timeIntervalSinceReferenceDate: 0))
        }

        @Test func `a client is set up`() async throws {
            let transport = Documented.makeTransport()

            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.headers = ["Accept": "application/json", "User-Agent": "Example/1.0"]
                $0.limits = Scheduler.Limits(total: 32, perHost: 4)
                $0.timeouts = Timeouts(attempt: .seconds(20), total: .seconds(60))
                $0.responseBodyLimit = 8 << 20
                $0.cache = MemoryCache(capacity: 4 << 20)
                $0.interceptors = [OneMoreTry()]
            }

            _ = try await client.send(GetUser(userID: "1"))
            #expect(transport.received.first?.headers["User-Agent"] == "Example/1.0")
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
    }
}
