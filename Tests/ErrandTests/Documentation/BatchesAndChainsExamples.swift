internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Batches and chains".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct BatchesAndChainsExamples {
        actor IDs {
            private var last = 0

            func next() -> String? {
                self.last += 1
                return String(self.last)
            }
        }

        @Test func `a failure ends a batch`() async throws {
            let client = Documented.makeClient()

            let batch = client.batch(GetImage(name: "sun"), GetImage(name: "missing"))
            do {
                let (sun, other) = try await batch.value
                Issue.record("\(sun) and \(other)")
            } catch {
                let failed = await batch.failedRequest
                #expect(failed?.index == 1 && error.context.index == 1)
            }
        }

        @Test func `the progress of a batch`() async throws {
            let client = Documented.makeClient()
            let names = ["sun", "moon", "star"]
            var share = 0.0

            let batch = client.batch(of: names.map(GetImage.init), failure: .collectAll)
            try await batch.start()
            for await progress in await batch.progressUpdates {
                share = Double(progress.finished) / Double(progress.total)
            }
            let outcomes = await batch.outcomes

            #expect(share == 1)
            #expect(outcomes.count == 3)
        }

        @Test func `outcomes as they come`() async throws {
            let client = Documented.makeClient()
            var sizes: [String: Int] = [:]

            let calls = ["sun", "moon", "missing"].map(GetImage.init)
            for await outcome in client.outcomes(of: calls, width: 2, order: .completion) {
                guard case .success(let image) = outcome.result else { continue }
                sizes[outcome.endpoint.name] = image.count
            }

            #expect(sizes == ["sun": 5, "moon": 5])
        }

        @Test func `outcomes of calls that are made as they are needed`() async throws {
            let client = Documented.makeClient()
            var levels = 0

            for await outcome in client.outcomes(of: 1...1000, making: { GetUser(userID: String($0)) }) {
                if case .success(let user) = outcome.result { levels += user.level }
            }

            #expect(levels == 3000)
        }

        @Test func `outcomes until there is enough`() async throws {
            let client = Documented.makeClient()
            let ids = IDs()
            var best: GetUser.Response?

            let calls = AsyncStream { await ids.next().map(GetUser.init) }
            for await outcome in client.outcomes(of: calls) {
                guard case .success(let user) = outcome.result, user.level > 2 else { continue }
                best = user
                break
            }

            #expect(best?.nick == "Ann")
        }

        @Test func `a chain that recovers`() async throws {
            let client = Documented.makeClient()

            let image = try await client.chain(GetUser(userID: "1"))
                .then { _ in GetImage(name: "missing") }
                .recover { error in
                    guard error.context.status == .notFound else { throw error }
                    return Data()
                }
                .value

            #expect(image.isEmpty)
        }

        @Test func `a step may decide that there is nothing to do`() async throws {
            let client = Documented.makeClient()
            let wanted: Set<String> = []

            let chain = client.chain()
            try await chain.add(GetUser(userID: "1")) { user, chain in
                guard wanted.contains(user.avatar) else { return chain.cancel() }
                try await chain.add(GetImage(name: user.avatar))
            }
            let error = await #expect(throws: ErrandError.self) { try await chain.value }
            #expect(error?.code == .cancelled)
        }
    }
}
