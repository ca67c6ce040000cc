internal import Errand
internal import ErrandTesting
internal import Foundation

/// The examples of the documentation, compiled and run.
///
/// Every Swift block of the README and of the articles stands word for word in a file of this folder;
/// `DocumentationTests` checks that. The calls that the examples send are declared here.
enum Documented {
    struct GetUser: Endpoint {
        struct Response: Decodable, Sendable {
            let nick: String
            let level: Int
            let avatar: String
        }

        let userID: String

        var path: EndpointPath { "users" }
        var parameters: Parameters { ["id": .string(self.userID)] }
        var options: RequestOptions { .caching(.fresh(for: .seconds(180))) }
    }

    struct GetImage: Endpoint {
        let name: String

        var path: EndpointPath { "images/\(self.name)" }
    }

    struct Register: Endpoint {
        struct Response: Decodable, Sendable {
            let userID: String
        }

        let name: String
        let password: String

        var path: EndpointPath { "accounts" }
        var method: HTTPMethod { .post }
        var body: RequestBody { .json(["name": self.name, "password": self.password]) }
    }

    /// A transport that answers the calls above.
    static func makeTransport() -> StubTransport {
        let transport = StubTransport()
        transport.route("/v1/users", .json(#"{"nick":"Ann","level":3,"avatar":"ann"}"#))
        transport.route("/v1/images/missing", .status(.notFound))
        transport.route("/v1/images/*", .data(Data("image".utf8)))
        transport.route("/v1/accounts", method: .post, .json(#"{"userID":"1"}"#))
        return transport
    }

    /// A transport that receives the calls above and never answers them.
    static func makeSilentTransport() -> StubTransport {
        let transport = StubTransport()
        transport.route("/*", .status(.ok).held(by: StubGate()))
        return transport
    }

    /// A client over a transport, on a clock that stands still: however busy the machine is, no deadline passes.
    static func makeClient(_ transport: any Transport = makeTransport()) -> Client {
        let date = Date()
        return Client(baseURL: "https://api.example.com/v1/") {
            $0.transport = transport
            $0.environment.clock = TestClock()
            $0.environment.date = { date }
        }
    }
}
