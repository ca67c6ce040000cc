internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Declaring endpoints".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct DeclaringEndpointsExamples {
        struct Rename: Endpoint {
            typealias Response = Void

            let userID: String
            let nick: String

            var path: EndpointPath { "users/\(self.userID)" }
            var method: HTTPMethod { .patch }
            var headers: HTTPFields { ["If-Match": "*"] }
            var body: RequestBody { .json(["nick": self.nick]) }
            var validation: ResponseValidation { ResponseValidation(statusCodes: [200, 204] as Set) }
            var options: RequestOptions { .priority(.high).timeout(attempt: .seconds(10), total: .seconds(30)) }
        }

        struct GetFile: Endpoint {
            let owner: String
            let folder: String
            let version: Int

            var path: EndpointPath { "owners/\(self.owner)/files/\(path: self.folder)?version=\(self.version)" }
        }

        struct GetPage: Endpoint {
            let url: URL

            var path: EndpointPath { .url(self.url) }
        }

        @Test func `values in a path`() throws {
            let client = Documented.makeClient()
            let file = try client.httpRequest(for: GetFile(owner: "a/b?c", folder: "my files/2025", version: 3))
            #expect(file.url.requestTarget == "/v1/owners/a%2Fb%3Fc/files/my%20files/2025?version=3")
            let next = try #require(URL(string: "https://other.example.com/page/2"))
            #expect(try client.httpRequest(for: GetPage(url: next)).url.string == next.absoluteString)
        }

        @Test func `a call that says more`() async throws {
            let transport = StubTransport()
            transport.route("/v1/users/7", method: .patch, .status(.noContent))
            let client = Documented.makeClient(transport)

            try await client.send(Rename(userID: "7", nick: "Ann"))

            #expect(transport.received.first?.headers["Content-Type"] == "application/json")
        }

        @Test func `what calls have in common`() throws {
            let request = try Documented.makeClient().httpRequest(for: GetBasket())

            #expect(request.url.string == "https://shop.example.com/v2/basket")
            #expect(request.headers["X-Shop"] == "7")
        }

        @Test func `what would be sent`() throws {
            let client = Documented.makeClient()

            let request = try client.httpRequest(for: Register(name: "Ann", password: "secret"))
            #expect(request.url.string == "https://api.example.com/v1/accounts")
            #expect(request.headers["Content-Type"] == "application/json")
        }
    }
}

protocol ShopEndpoint: Endpoint {}

extension ShopEndpoint {
    var baseURL: BaseURL { "https://shop.example.com/v2/" }
    var headers: HTTPFields { ["X-Shop": "7"] }
    var options: RequestOptions { .timeout(attempt: .seconds(5)) }
}

struct GetBasket: ShopEndpoint {
    var path: EndpointPath { "basket" }
}
