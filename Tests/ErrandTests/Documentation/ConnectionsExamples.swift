internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Connections".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct ConnectionsExamples {
        struct GetShortLink: Endpoint {
            let code: String

            var path: EndpointPath { "links/\(self.code)" }
            var options: RequestOptions { .redirects(.never) }
            var validation: ResponseValidation { ResponseValidation(statusCodes: 300...399) }
        }

        @Test func `a redirection that is not followed`() async throws {
            let transport = StubTransport()
            transport.route("/v1/links/a", .data(Data(), status: .found, headers: ["Location": "https://example.com/"]))
            let client = Documented.makeClient(transport)
            let response = try await client.response(for: GetShortLink(code: "a"))
            #expect(response.head.headers["Location"] == "https://example.com/")
        }

        @Test func `a credential, cookies and deadlines`() async throws {
            let transport = Documented.makeTransport()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.credentials = .bearer("token")
                $0.cookies = .perClient
                $0.options = .timeout(connect: .seconds(60), total: .seconds(600))
            }
            _ = try await client.send(GetUser(userID: "1"))
            #expect(transport.received.first?.headers["Authorization"] == "Bearer token")
        }

        @Test func `a user logs out`() async throws {
            let transport = Documented.makeTransport()
            let jar = CookieJar()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.credentials.origin = .bearer("token")
                $0.cookies = .store(jar)
            }
            client.updateDefaults { $0.credentials.origin = nil }
            client.forgetCredentials()
            await client.cancelAll()
            await jar.removeAll()
            _ = try await client.send(GetUser(userID: "1"))
            #expect(transport.received.map { $0.headers["Authorization"] } == [nil])
        }

        struct GetReport: Endpoint {
            var path: EndpointPath { "https://reports.example.net/latest" }
            var options: RequestOptions { .sendingSecretsToAllOrigins() }
        }

        @Test func `where secrets go`() async throws {
            let transport = StubTransport()
            transport.route("*", .text("x"))
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.headers = ["Authorization": "Bearer token"]
            }
            _ = try await client.send(GetReport())
            client.updateDefaults { $0.headers = [:] }
            client.updateDefaults { $0.credentials.origin = .bearer("a-newer-token") }
            _ = try await client.send(GetImage(name: "a"))
            #expect(
                transport.received.map { $0.headers["Authorization"] } == ["Bearer token", "Bearer a-newer-token"])
        }

        @Test func `rules for TLS`() async throws {
            let pin = TLSPolicy.PublicKeyPin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
            let backupPin = TLSPolicy.PublicKeyPin("sha256/BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA=")
            let companyRoot = URL(filePath: "/nonexistent/root.pem")
            var tls = TLSPolicy.system
            tls.hosts["api.example.com"] = TLSPolicy.Rules(pins: [pin, backupPin])
            tls.hosts["*.internal.example"] = TLSPolicy.Rules(trust: .authorities([.file(companyRoot)]))
            let client = Client(baseURL: "https://api.example.com/v1/") { $0.network.tls = tls }
            // The file is not there: nothing is sent, to whatever host.
            let error = await #expect(throws: ErrandError.self) { try await client.send(GetUser(userID: "1")) }
            #expect(error?.code == .invalidTLSPolicy)
        }
    }
}
