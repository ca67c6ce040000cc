internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Pages, polling and newest calls".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct SeriesOfCallsExamples {
        struct ListIssues: Endpoint {
            typealias Response = [String]
            let state: String
            var path: EndpointPath { "issues" }
            var parameters: Parameters { ["state": .string(self.state)] }
        }

        struct ListOrders: Endpoint {
            struct Response: Decodable, Sendable {
                let items: [String]
                let cursor: String?
            }
            var cursor: String?
            var path: EndpointPath { "orders" }
            var parameters: Parameters { ["cursor": self.cursor.map { .string($0) } ?? .null] }
        }

        struct GetExport: Endpoint {
            struct Response: Decodable, Sendable { let isReady: Bool }
            let id: String
            var path: EndpointPath { "exports/\(self.id)" }
        }

        struct Search: Endpoint {
            typealias Response = [String]
            let text: String
            var path: EndpointPath { "search" }
            var parameters: Parameters { ["q": .string(self.text)] }
        }

        actor SearchModel {
            private let search: LatestOnly
            private(set) var hits: [String] = []

            init(client: Client) {
                self.search = client.latest(debounce: .milliseconds(300))
            }

            func type(_ text: String) async throws {
                do {
                    self.hits = try await self.search.send(Search(text: text))
                } catch  where error.code == .cancelled {
                    // Something newer was typed.
                } catch {
                    throw error
                }
            }
        }

        private let world = FixtureWorld { $0.options = .withoutTimeout() }

        @Test func `reads pages`() async throws {
            let (client, shown) = (self.world.client, FixtureLog())
            func show(_ page: [String]) { shown.add(page.joined(separator: " ")) }
            self.world.transport.route(
                "/issues", .json(#"["1","2"]"#, headers: ["Link": "</issues?page=2>; rel=\"next\""]), .json(#"["3"]"#))
            for try await page in client.pages(ListIssues(state: "open")) {
                show(page)
                if page.isEmpty { break }
            }
            self.world.transport.route(
                "/orders", .json(#"{"items":["a"],"cursor":"x"}"#), .json(#"{"items":["b"]}"#))
            let orders = client.pages(ListOrders()) { page in
                page.value.cursor.map { ListOrders(cursor: $0) }
            }
            for try await page in orders { show(page.items) }
            #expect(shown.lines == ["1 2", "3", "a", "b"])
        }

        @Test func `asks until it is done`() async throws {
            let client = self.world.client
            self.world.transport.route("/exports/7", .json(#"{"isReady":true}"#))
            let export = try await client.poll(
                GetExport(id: "7"), waiting: .every(.seconds(2)), within: .seconds(300)
            ) { $0.isReady }
            #expect(export.isReady)
            let growing = Backoff(base: .seconds(1), factor: 1.5, cap: .seconds(30), jitter: .none)
            #expect(
                Array(growing.delays(using: SystemRandomNumberGenerator()).prefix(2)) == [.seconds(1), .seconds(1.5)])
        }

        @Test func `searches for the newest text`() async throws {
            self.world.transport.route("/search", .json(#"["hit"]"#))
            let model = SearchModel(client: self.world.client)
            let typing = Task { try await model.type("e") }
            await self.world.clock.waitForSleeper()
            let more = Task { try await model.type("er") }
            try await typing.value
            await fixtureUntil { self.world.client.environment.deadlines.count == 1 }
            self.world.clock.advance(by: .milliseconds(300))
            try await more.value
            #expect(await model.hits == ["hit"])
            #expect(self.world.transport.received.map(\.url.requestTarget) == ["/search?q=er"])
        }
    }
}
