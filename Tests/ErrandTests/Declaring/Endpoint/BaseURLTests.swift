internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Base URLs of Foundation's", .timeLimit(.minutes(60)), .paced)
struct BaseURLTests {
    @Test func `a client, a configuration and an endpoint take a URL of Foundation's`() throws {
        let url = try #require(URL(string: "https://api.test/v1"))
        #expect(try Client(baseURL: url).httpRequest(for: FixtureText()).url.string == "https://api.test/v1/a")
        let client = Client(baseURL: url) { $0.headers = ["X-A": "1"] }
        #expect(try client.httpRequest(for: FixtureText()).headers["X-A"] == "1")
        #expect(Client.Configuration(baseURL: url).baseURLs.main == "https://api.test/v1")
        let endpoint = FixtureText { $0.baseURL = .url(url) }
        #expect(try Client().httpRequest(for: endpoint).url.string == "https://api.test/v1/a")
    }

    @Test func `a client without a base URL can still be made in three ways`() throws {
        for client in [Client(), Client(baseURL: nil), Client { $0.headers = [:] }] {
            #expect(client.defaults.baseURLs.main == nil)
        }
    }

    @Test func `a URL of Foundation's that no request can go to fails as its text does`() throws {
        let client = Client(baseURL: URL(filePath: "/tmp/"))
        let error = #expect(throws: ErrandError.self) { try client.httpRequest(for: FixtureText()) }
        #expect(error?.code == .invalidURL)
    }
}
