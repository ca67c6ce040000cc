internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "HTTP caching".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct HTTPCachingExamples {
        struct GetNews: Endpoint {
            var path: EndpointPath { "news" }
        }

        struct GetArticle: Endpoint {
            let id: String
            var path: EndpointPath { "articles/\(self.id)" }
            var options: RequestOptions { .caching(.http(staleIfError: .seconds(86_400))) }
        }

        @Test func `as responses say themselves`() async throws {
            let transport = StubTransport()
            transport.route("*", .text("news", headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""]))
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.options = .caching(.http)
            }
            let response = try await client.response(for: GetNews())
            print(response.source, response.cacheStatus?.description ?? "")
            #expect(response.cacheStatus?.description == "Errand; fwd=uri-miss; fwd-status=200; stored")
            for line in try await client.cache.explanation(for: GetNews()) { print(line) }
            #expect(try await client.response(for: GetNews()).source.isCache)
        }

        @Test func `where the network fails`() async throws {
            let transport = StubTransport()
            transport.route("*", .text("article", headers: ["Cache-Control": "max-age=0"]))
            let client = Client(baseURL: "https://api.example.com/v1/") { $0.transport = transport }
            _ = try await client.send(GetArticle(id: "1"))
            transport.replaceRoutes()
            #expect(try await client.send(GetArticle(id: "1")) == Data("article".utf8))
        }
    }
}
