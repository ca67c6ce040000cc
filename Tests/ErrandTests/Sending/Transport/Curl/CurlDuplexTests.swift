internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite(
        "CurlTransport: a response that comes while its request is sent",
        .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct CurlDuplexTests {
        private static func words(_ number: Int) -> Data { Data("chunk number \(number); ".utf8) }

        // MARK: - Whole

        @Test func `each part is answered before the next one is made`() async throws {
            let scene = try DuplexScene(.echo)
            var reader = try await scene.begin()
            for number in 0..<50 {
                scene.send(Self.words(number))
                #expect(try await reader.read(Self.words(number).count) == Self.words(number))
            }
            scene.finish()
            #expect(try await reader.read() == Data())
            await scene.waitUntilFeederEnds()
            #expect(await scene.transport.ledger()?.active == 0)
        }

        @Test(arguments: [1, 4096, 1 << 20])
        func `much goes both ways at once`(buffer: Int) async throws {
            let scene = try DuplexScene(.echo)
            let parts = (0..<100).map { number in Data((0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* number) }) }
            for part in parts { scene.send(part) }
            scene.finish()
            var reader = try await scene.begin(buffer: buffer)
            for part in parts { #expect(try await reader.read(part.count) == part) }
            #expect(try await reader.read() == Data())
            await scene.waitUntilFeederEnds()
        }

        @Test func `a client does the same`() async throws {
            let scene = try DuplexScene(.echo)
            let client = Client(baseURL: "http://127.0.0.1:\(scene.server.port)/") {
                $0.options = $0.options.withoutTimeout()
            }
            var call = CurlCall("echo")
            call.method = .post
            call.body = RequestBody { [content = scene.content] in .init(.stream(content, length: nil)) }
            let count = try await client.stream(call) { response in
                var reader = DuplexReader(response.body)
                for number in 0..<20 {
                    scene.send(Self.words(number))
                    let answer = try await reader.read(Self.words(number).count)
                    #expect(answer == Self.words(number))
                }
                scene.finish()
                return try await reader.read().count
            }
            #expect(count == 0)
            await client.shutdown()
        }

        // MARK: - Broken off by the client

        @Test func `nobody sends on when the response is dropped`() async throws {
            let scene = try DuplexScene(.echo)
            try await Self.readOnePart(scene)
            #expect(await scene.waitUntilOver()?.active == 0)
        }

        /// Nothing of the stream is left when this returns.
        private static func readOnePart(_ scene: DuplexScene) async throws {
            scene.send(self.words(1))
            var reader = try await scene.begin()
            #expect(try await reader.read(self.words(1).count) == self.words(1))
        }

        @Test func `nobody sends on when the reader is cancelled`() async throws {
            let scene = try DuplexScene(.echo)
            scene.send(Self.words(1))
            let gate = Waiter<Void>()
            let code = try await withThrowingTaskGroup(of: ErrandError.Code?.self) { group in
                group.addTask {
                    var reader = try await scene.begin()
                    do throws(ErrandError) {
                        _ = try await reader.read(Self.words(1).count)
                        gate.resume(())
                        _ = try await reader.read(1)
                        return nil
                    } catch {
                        return error.code
                    }
                }
                _ = await gate.wait()
                group.cancelAll()
                return try await group.next() ?? nil
            }
            #expect(code == .cancelled)
            #expect(await scene.waitUntilOver()?.active == 0)
        }

        @Test func `nobody sends on when the transport is shut down`() async throws {
            let scene = try DuplexScene(.echo)
            var reader = try await scene.begin()
            scene.transport.shutdown()
            let error = await #expect(throws: ErrandError.self) { try await reader.read() }
            #expect(error?.code == .clientShutDown)
            #expect(await scene.waitUntilOver() == nil)
        }

        @Test func `nobody sends on when the content of the request fails`() async throws {
            let scene = try DuplexScene(.echo)
            scene.send(Self.words(1))
            var reader = try await scene.begin()
            #expect(try await reader.read(Self.words(1).count) == Self.words(1))
            scene.fail(ErrandError(.encodingFailed, "a planned failure"))
            let error = await #expect(throws: ErrandError.self) { try await reader.read() }
            #expect(error?.message == "a planned failure")
            #expect(await scene.waitUntilOver()?.active == 0)
        }

        // MARK: - Broken off by the server

        @Test(arguments: [200, 413])
        func `nobody sends on when the response ends first`(_ status: Int) async throws {
            let scene = try DuplexScene(.ending(status: status, body: "enough"))
            var reader = try await scene.begin()
            scene.send(Self.words(1))
            #expect(try await reader.read() == Data("enough".utf8))
            #expect(await scene.waitUntilOver()?.active == 0)
        }

        @Test(arguments: [200, 413])
        func `a response that ends first is there at once, though the request waits for content`(
            _ status: Int
        ) async throws {
            let scene = try DuplexScene(.ending(status: status, body: "enough"))
            scene.send(Self.words(1))
            let context = ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 100))
            let response = try await scene.transport.exchange(scene.request, context)
            #expect(response.data == Data("enough".utf8))
            #expect(await scene.waitUntilOver()?.active == 0)
        }

        @Test func `nobody sends on when the connection is reset`() async throws {
            let scene = try DuplexScene(.resetting)
            var reader = try await scene.begin()
            scene.send(Self.words(1))
            let error = await #expect(throws: ErrandError.self) { try await reader.read() }
            #expect(error?.code == .connectionLost)
            #expect(await scene.waitUntilOver()?.active == 0)
        }

        // MARK: - Without a response

        @Test func `nobody sends when there is no server`() async throws {
            let scene = try DuplexScene(.echo)
            scene.server.stop()
            await scene.server.waitUntilClosed()
            let error = await #expect(throws: ErrandError.self) { _ = try await scene.begin() }
            #expect(error?.code == .cannotConnect)
            await scene.waitUntilFeederEnds()
        }

        // MARK: - What is left

        /// Nothing of the stream is left when this returns.
        private static func beginAndSend(_ scene: DuplexScene) async throws {
            let reader = try await scene.begin()
            scene.send(self.words(1))
            withExtendedLifetime(reader) {}
        }

        @Test func `nothing is left behind`() async {
            await #expect(processExitsWith: .success) {
                try await CurlScene.leavingNothing { _ in
                    for round in 0..<100 {
                        let scene = try DuplexScene(round.isMultiple(of: 3) ? .resetting : .echo)
                        try await Self.beginAndSend(scene)
                        if round.isMultiple(of: 2) { scene.transport.shutdown() }
                        _ = await scene.waitUntilOver()
                    }
                }
            }
        }
    }
#endif
