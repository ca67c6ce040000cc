internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandOutbox

@Suite("The outbox: what an app finds its requests by", .timeLimit(.minutes(60)), .paced)
struct OutboxNotesTests {
    private struct Draft: Codable, Sendable, Equatable {
        let id: Int
        let title: String
    }

    private let world: OutboxWorld

    init() throws {
        self.world = try OutboxWorld()
    }

    @Test func `an item has its tag and its user data, also in another process that hears of its end`() async throws {
        let draft = Draft(id: 7, title: "Tea")
        self.world.answer { _, _ in .status(503) }
        let outbox = try await self.world.open()
        let item = try await outbox.add(Post("1"), to: "orders", options: .tag("cart"), userData: draft)
        #expect(item.tag == "cart")
        #expect(item.endpointName == "Post")
        #expect(try item.userData(as: Draft.self) == draft)
        await self.world.waitForPause()
        await outbox.close()
        self.world.acceptAll()
        let next = try await self.world.open()
        await self.world.waitForEnds(1)
        let ended = try #require(self.world.ends.withLock { $0.first?.item })
        #expect(ended == item)
        #expect(try ended.userData(as: Draft.self) == draft)
        await next.close()
    }

    @Test func `an item without them has none, and user data of another type are an error`() async throws {
        self.world.answer { _, _ in .status(503) }
        let outbox = try await self.world.open()
        let plain = try await outbox.add(Post("1"))
        #expect(plain.tag == nil)
        #expect(try plain.userData(as: Draft.self) == nil)
        let other = try await outbox.add(Post("2"), userData: "text")
        let error = #expect(throws: ErrandError.self) { _ = try other.userData(as: Draft.self) }
        #expect(error?.code == .decodingFailed)
        let refused = await #expect(throws: ErrandError.self) {
            try await outbox.add(Post("3"), userData: Double.infinity)
        }
        #expect(refused?.code == .encodingFailed)
        #expect(try await outbox.items().count == 2)
        await outbox.close()
    }

    @Test func `accessories, interceptors and errors are told the name of the endpoint and the tag`() async throws {
        final class Names: Interceptor {
            let names = Locked<[String]>([])

            func intercept(
                _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
            ) async throws -> HTTPResponse {
                self.names.withLock { $0.append(context.endpointName) }
                return try await next(request)
            }
        }
        let (recorder, interceptor) = (EventRecorder(), Names())
        self.world.answer { _, _ in .status(400) }
        let outbox = try await self.world.open(
            self.world.client {
                $0.accessories = [recorder]
                $0.interceptors = [interceptor]
            })
        try await outbox.add(Post("1"), options: .tag("cart"))
        await self.world.waitForEnds(1)
        #expect(Set(recorder.entries.map(\.activity.name)) == ["Post"])
        #expect(Set(recorder.entries.map(\.activity.tag)) == ["cart"])
        #expect(interceptor.names.withLock { $0 } == ["Post"])
        guard case .failed(let error) = self.world.ends.withLock({ $0.first?.end }) else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.context.endpointName == "Post")
        await outbox.close()
    }

    @Test func `what its call says of a request is kept as what its endpoint says, and what cannot be kept is refused`()
        async throws
    {
        self.world.answer { _, _ in .status(503) }
        let outbox = try await self.world.open(self.world.client { $0.headers = ["X-Plain": "1"] })
        let item = try await outbox.add(
            Post("1"), options: .tag("cart").omittingHeaders(["X-Plain"]).networks(AllowedNetworks(cellular: false)))
        #expect(item.tag == "cart")
        await self.world.waitForPause()
        let sent = try #require(self.world.transport.received.first)
        #expect(!sent.headers.contains("X-Plain") && !sent.allowedNetworks.cellular)
        for (options, code) in [
            (RequestOptions.accessories([EventRecorder()]), ErrandError.Code.unsupported),
            (.sendingSecretsToAllOrigins(), .unsupported), (.credentials(.own(.bearer("t"))), .invalidRequest),
        ] {
            let error = await #expect(throws: ErrandError.self) { try await outbox.add(Post("2"), options: options) }
            #expect(error?.code == code)
        }
        #expect(try await outbox.items().map(\.id) == [item.id])
        await outbox.close()
    }

    @Test func `a call with a password in its URL is refused, whatever the client adds`() async throws {
        struct Call: Endpoint {
            typealias Response = Data
            var path: EndpointPath { .url("https://ann:secret@api.example.com/orders") }
            var method: HTTPMethod { .post }
        }
        for headers: HTTPFields in [[:], ["Authorization": "Bearer client"]] {
            let outbox = try await self.world.open(self.world.client { $0.headers = headers })
            let error = await #expect(throws: ErrandError.self) { try await outbox.add(Call()) }
            #expect(error?.code == .invalidRequest && error?.message.contains("secret@") == false)
            await outbox.close()
        }
        #expect(self.world.transport.receivedCount == 0)
    }
}
