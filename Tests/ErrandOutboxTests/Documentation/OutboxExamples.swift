internal import Errand
internal import ErrandLocks
internal import ErrandOutbox
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("The code in the documentation of the outbox", .timeLimit(.minutes(60)), .paced)
struct OutboxExamples {
    private actor Orders {
        private(set) var sent: [String] = []

        func markAsSent(_ key: String) {
            self.sent.append(key)
        }

        func markAsRefused(_ key: String, _ error: ErrandError) {}

        func markAsExpired(_ key: String) {}
    }

    private struct PlaceOrder: Endpoint {
        typealias Response = Data
        let order: String
        var path: EndpointPath { "orders" }
        var method: HTTPMethod { .post }
        var body: RequestBody { .text(self.order) }

        init(_ order: String) {
            self.order = order
        }
    }

    @Test func overview() async throws {
        let world = try OutboxWorld()
        let (folder, client, orders, order) = (world.folder, world.client(), Orders(), "tea")
        let outbox = try await Outbox.open(folder, client: client) { item, end in
            switch end {
            case .sent: await orders.markAsSent(item.idempotencyKey)
            case .failed(let error): await orders.markAsRefused(item.idempotencyKey, error)
            case .expired: await orders.markAsExpired(item.idempotencyKey)
            }
        }
        try await outbox.add(PlaceOrder(order), to: "orders")
        await world.waitUntilEmpty(outbox)
        #expect(await orders.sent.count == 1)
    }

    private struct Draft: Codable, Sendable, Equatable {
        let id: Int
    }

    @Test func findOutWhoseEndItIs() async throws {
        let world = try OutboxWorld()
        let (outbox, order) = (try await world.open(), "tea")
        try await outbox.add(PlaceOrder(order), to: "orders", options: .tag("cart"), userData: Draft(id: 7))
        await world.waitForEnds(1)
        let item = try #require(world.ends.withLock { $0.first?.item })
        #expect(item.tag == "cart")
        #expect(try item.userData(as: Draft.self) == Draft(id: 7))
    }
}
