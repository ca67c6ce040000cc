internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension ResponseDecoder where Output == [[String]] {
    static var csv: Self {
        Self(contentTypes: ["text/csv"]) { response in
            try ResponseDecoder<String>.text.decode(response).split(separator: "\n").map { line in
                line.split(separator: ",").map(String.init)
            }
        }
    }
}

extension Documented {
    /// The examples of the article "Decoding".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct DecodingExamples {
        struct GetEvents: Endpoint {
            struct Response: Decodable, Sendable {
                let date: Date
            }

            var path: EndpointPath { "events" }
            var decoder: ResponseDecoder<Response> { .json(dates: .secondsSince1970) }
        }

        @Test func `strategies`() async throws {
            let transport = StubTransport()
            transport.route("/v1/events", .json(#"{"date":10}"#))
            let event = try await Documented.makeClient(transport).send(GetEvents())
            #expect(event.date == Date(timeIntervalSince1970: 10))
        }

        struct ListRows: Endpoint {
            typealias Response = [[String]]

            var path: EndpointPath { "rows" }
            var decoder: ResponseDecoder<Response> { .csv }
        }

        @Test func `a format of one's own`() async throws {
            let transport = StubTransport()
            transport.route("/v1/rows", .data(Data("a,b\nc".utf8), headers: ["Content-Type": "text/csv"]))
            #expect(try await Documented.makeClient(transport).send(ListRows()) == [["a", "b"], ["c"]])
            #expect(transport.received.first?.headers["Accept"] == "text/csv")
        }

        struct User: Decodable, Sendable {
            let name: String
        }

        struct Page: Decodable, Sendable {
            let users: [User]
        }

        struct ListUsers: Endpoint {
            var path: EndpointPath { "users" }
            var decoder: ResponseDecoder<[User]> { ResponseDecoder.json.map { (page: Page) in page.users } }
        }

        @Test func `a part of a page`() async throws {
            let transport = StubTransport()
            transport.route("/v1/users", .json(#"{"users":[{"name":"Ann"}]}"#))
            #expect(try await Documented.makeClient(transport).send(ListUsers()).map(\.name) == ["Ann"])
        }

        struct GetProfile: Endpoint {
            typealias Response = JSONValue

            var path: EndpointPath { "profile" }
        }

        @Test func `any JSON`() async throws {
            let transport = StubTransport()
            transport.route("/v1/profile", .json(#"{"friends":[{"address":{"city":"Rom"}}]}"#))
            let client = Documented.makeClient(transport)
            let profile = try await client.send(GetProfile())
            let city = profile["friends", 0, "address", "city"]?.string
            #expect(city == "Rom")
        }

        struct GetFeed: Endpoint {
            typealias Response = XMLTree

            var path: EndpointPath { "feed" }
        }

        struct CountItems: Endpoint {
            typealias Response = Int

            var path: EndpointPath { "feed" }
            var decoder: ResponseDecoder<Int> {
                .xml { reader in
                    var count = 0
                    while let event = try reader.next() {
                        if case .startElement("item", _) = event { count += 1 }
                    }
                    return count
                }
            }
        }

        @Test func `XML`() async throws {
            let xml = "<rss><channel><item><title>One</title></item></channel></rss>"
            let transport = StubTransport()
            transport.route("/v1/feed", .data(Data(xml.utf8), headers: ["Content-Type": "application/rss+xml"]))
            let client = Documented.makeClient(transport)
            let feed = try await client.send(GetFeed())
            let titles = feed["channel"]?.children(named: "item").compactMap { $0["title"]?.text }
            #expect(titles == ["One"])
            #expect(try await client.send(CountItems()) == 1)
        }

        enum Answer: Sendable {
            case done(JSONValue)
            case page(String)
        }

        struct Ask: Endpoint {
            typealias Response = Answer

            var path: EndpointPath { "ask" }

            var decoder: ResponseDecoder<Answer> {
                .first(ResponseDecoder.json.map(Answer.done), ResponseDecoder.text.map(Answer.page))
            }
        }

        @Test func `the first of several`() async throws {
            let transport = StubTransport()
            transport.route("/v1/ask", .json("[1]"))
            let client = Documented.makeClient(transport)
            guard case .done(let value) = try await client.send(Ask()) else { throw FixtureError() }
            #expect(value == [1])
            let other = StubTransport()
            other.route("/v1/ask", .text("<p>"))
            guard case .page("<p>") = try await Documented.makeClient(other).send(Ask()) else { throw FixtureError() }
        }

        struct GetFriends: Endpoint {
            typealias Response = JSONValue

            var path: EndpointPath { "friends" }
            var validation: ResponseValidation {
                ResponseValidation(
                    statusCodes: 200...204, contentTypes: [.json, "text/*"],
                    shape: ["nick": .string, "avatar": .optional(.string), "friends": [["id": .number]]],
                    checks: [{ if $0.headers["X-Version"] != "2" { throw VersionError() } }])
            }
        }

        struct VersionError: Error {}

        @Test func `validation`() async throws {
            let transport = StubTransport()
            transport.route("/v1/friends", .json(#"{"nick":"Ann","friends":[{"id":1},{"id":"2"}]}"#))
            let client = Documented.makeClient(transport)
            do throws(ErrandError) {
                _ = try await client.send(GetFriends())
            } catch {
                #expect(error.message == "$.friends[1].id: expected number, found string")
                #expect((error.cause as? ErrandError)?.code == .validationFailed)
            }
        }

        struct APIError: Decodable {
            let message: String
        }

        @Test func `what the server said`() async throws {
            let transport = StubTransport()
            transport.route("/v1/profile", .json(#"{"message":"no"}"#, status: 403))
            let client = Documented.makeClient(transport)
            var messages: [String] = []
            do throws(ErrandError) {
                _ = try await client.send(GetProfile())
            } catch {
                if let problem = try? error.decode(APIError.self) { messages.append(problem.message) }
            }
            #expect(messages == ["no"])
        }

        struct Pay: ProcessingEndpoint {
            typealias Response = JSONValue

            let amount: Int

            var path: EndpointPath { "payments" }
            var method: HTTPMethod { .post }
            var body: RequestBody { .json(["amount": self.amount]) }

            func prepare(_ request: inout HTTPRequest) async throws {
                request.headers["X-Signature"] = try await Keys.shared.signature(of: request)
            }

            func didReceive(_ response: inout HTTPResponse) async throws {
                response.body = .bytes(try await Keys.shared.open(response.data))
            }

            func didFail(_ error: ErrandError) async {
                await Keys.shared.forget()
            }
        }

        actor Keys {
            static let shared = Keys()

            func signature(of request: HTTPRequest) throws -> String { "signed" }
            func open(_ data: Data) throws -> Data { Data(data.reversed()) }
            func forget() {}
        }

        @Test func `hooks`() async throws {
            let transport = StubTransport()
            transport.route("/v1/payments", method: .post, .json("}1:\"di\"{"))
            let value = try await Documented.makeClient(transport).send(Pay(amount: 3))
            #expect(value == ["id": 1])
            #expect(transport.received.first?.headers["X-Signature"] == "signed")
        }
    }
}
