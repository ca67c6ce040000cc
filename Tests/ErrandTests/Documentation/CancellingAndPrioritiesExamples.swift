internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Cancelling and priorities".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct CancellingAndPrioritiesExamples {
        @Test func `cancelling the sender cancels the request`() async throws {
            let client = Documented.makeClient(Documented.makeSilentTransport())

            let user = await withTaskGroup(of: GetUser.Response?.self) { group in
                group.addTask { try? await client.send(GetUser(userID: "1")) }
                group.cancelAll()
                return await group.next()
            }

            #expect(user.flatMap { $0 } == nil)
            #expect(await client.record.count == 0)
        }

        @Test func `one who waits leaves alone`() async throws {
            let client = Documented.makeClient()

            let request = client.request(GetUser(userID: "1"))
            await request.start()
            await withTaskGroup { group in
                group.addTask { _ = try? await request.value }
                group.cancelAll()
            }
            let user = try await request.value

            #expect(user.nick == "Ann")
        }

        @Test func `work is cancelled by its tag`() async throws {
            let client = Documented.makeClient(Documented.makeSilentTransport())

            let options = RequestOptions.tag("profile screen")
            let request = client.request(GetUser(userID: "1"), options: options)
            let batch = client.batch(GetImage(name: "sun"), GetImage(name: "moon"), options: options)
            await request.start()
            try await batch.start()

            let count = await client.record.cancel(tag: "profile screen")

            #expect(count >= 2)
            for await left in await client.record.counts where left == 0 { break }
            #expect(await request.state == .failed)
            #expect(await batch.state == .failed)
        }

        @Test func `a client is shut down`() async throws {
            let client = Documented.makeClient(Documented.makeSilentTransport())
            let request = client.request(GetUser(userID: "1"))
            await request.start()

            await client.shutdown()
            for await count in await client.record.counts where count == 0 { break }

            let errors = [
                await #expect(throws: ErrandError.self) { try await request.value },
                await #expect(throws: ErrandError.self) { try await client.send(GetUser(userID: "1")) },
            ]
            #expect(errors.allSatisfy { $0?.code == .clientShutDown })
        }

        @Test func `a client is shut down when what is in flight has ended`() async throws {
            let client = Documented.makeClient()
            let left = await client.shutdown(drainingFor: .seconds(10))
            #expect(left.isEmpty)
        }

        @Test func `a call has timeouts of its own`() async throws {
            let client = Documented.makeClient()

            let user = try await client.send(GetUser(userID: "1"), options: .timeout(total: .seconds(10)))

            #expect(user.nick == "Ann")
        }

        @Test func `another place among those that wait`() async throws {
            let client = Documented.makeClient()

            let thumbnail = client.request(GetImage(name: "sun"), options: .priority(.low))
            await thumbnail.start()
            await thumbnail.setPriority(.high)

            #expect(try await thumbnail.value.count == 5)
        }

        @Test func `limits are changed, and all are held back`() async throws {
            let client = Documented.makeClient()

            await client.scheduler.setLimits(RequestScheduler.Limits(total: 8, perHost: 2))
            await client.scheduler.pause()
            let held = await client.scheduler.waitingCount
            await client.scheduler.resume()

            #expect(held == 0)
            #expect(await client.scheduler.limits == RequestScheduler.Limits(total: 8, perHost: 2))
        }
    }
}
