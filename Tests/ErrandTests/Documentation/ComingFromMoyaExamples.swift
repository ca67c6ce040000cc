internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Coming from Moya".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct ComingFromMoyaExamples {
        struct User: Decodable, Sendable {
            let id: String
            let nick: String
        }

        struct Note: Decodable, Sendable {
            let id: Int
        }

        enum UserService {
            struct Show: Endpoint {
                typealias Response = User
                let id: String
                var path: EndpointPath { "users/\(self.id)" }
            }

            struct Create: Endpoint {
                typealias Response = User
                let name: String, password: String
                var path: EndpointPath { "users" }
                var method: HTTPMethod { .post }
                var body: RequestBody { .json(["name": self.name, "password": self.password]) }
                var options: RequestOptions { .credentials(.none) }
            }
        }

        enum NoteService: Endpoint {
            typealias Response = Note

            case show(id: Int)
            case add(text: String)

            var path: EndpointPath {
                switch self {
                case .show(let id): "notes/\(id)"
                case .add: "notes"
                }
            }
            var method: HTTPMethod {
                switch self {
                case .show: .get
                case .add: .post
                }
            }
            var body: RequestBody {
                switch self {
                case .show: .none
                case .add(let text): .json(["text": text])
                }
            }
        }

        @Test func `a service of types`() async throws {
            let token = "a1b2c3"

            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.headers = ["X-Shop": "7"]
                $0.credentials = .bearer(token)
                $0.accessories = [LoggingAccessory()]
            }

            let shown = try client.httpRequest(for: UserService.Show(id: "7/8"))
            #expect(shown.url.path == "/v1/users/7%2F8")
            #expect(shown.headers["X-Shop"] == "7")
            #expect(shown.headers["Authorization"] == "Bearer a1b2c3")
            let created = try client.httpRequest(for: UserService.Create(name: "Ann", password: "secret"))
            #expect(created.headers["Authorization"] == nil)
            #expect(created.headers["Content-Type"] == "application/json")
        }

        @Test func `stubs are routes`() async throws {
            let transport = StubTransport()
            transport.route("/v1/users/7", .json(#"{"id": "7", "nick": "Ann"}"#))
            transport.route("/v1/users/*", .status(.notFound))
            let client = Client(baseURL: "https://api.example.com/v1/") { $0.transport = transport }

            let user = try await client.send(UserService.Show(id: "7"))

            #expect(user.nick == "Ann")
            let error = await #expect(throws: ErrandError.self) { try await client.send(UserService.Show(id: "8")) }
            #expect(error?.code == .unacceptableStatus)
        }

        @Test func `each reply of the table for stubs is one`() async throws {
            let (transport, clock, data) = (StubTransport(), TestClock(), Data("lost".utf8))
            transport.route("/a", .json("{}").delayed(by: .seconds(1), on: clock))
            transport.route("/b", .data(data, status: 404))
            transport.route("/c", .failure(.timedOut))
            let client = Client(baseURL: "https://api.example.com/") { $0.transport = transport }
            for (path, code) in [("b", ErrandError.Code.unacceptableStatus), ("c", .timedOut)] {
                let error = await #expect(throws: ErrandError.self) { try await client.send(GetPath(path: path)) }
                #expect(error?.code == code)
            }
        }

        private struct GetPath: Endpoint {
            let name: String
            var path: EndpointPath { "\(self.name)" }

            init(path: String) { self.name = path }
        }

        @Test func `a service that stays an enum`() async throws {
            let transport = StubTransport()
            transport.route("/v1/notes", method: .post, .json(#"{"id": 1}"#))
            transport.route("/v1/notes/1", .json(#"{"id": 1}"#))
            let client = Documented.makeClient(transport)

            let note = try await client.send(NoteService.add(text: "Buy tea"))

            #expect(try await client.send(NoteService.show(id: note.id)).id == 1)
            #expect(transport.received.map(\.method) == [.post, .get])
        }
    }
}
