internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("What goes wrong on the way (G6, G16, G18)", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct NetworkFaultTests {
        /// One thing that goes wrong, before all goes well.
        struct Fault: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let reply: LoopbackReply
            /// How the request ends.
            let end: End
            /// How often it came to the server, or began to.
            let sent: Int
            let call: FixtureText

            init(
                _ name: String, _ reply: LoopbackReply, _ end: End = .value, sent: Int = 2,
                _ call: FixtureText = FixtureText()
            ) {
                self.testDescription = name
                self.reply = reply
                self.end = end
                self.sent = sent
                self.call = call
            }
        }

        enum End: Sendable, Equatable {
            /// With the value of an answer that was whole.
            case value
            case failure(ErrandError.Code)
        }

        private static let body = Data("good".utf8)
        private static let post = FixtureText {
            $0.method = .post
            $0.body = .bytes(Data("order".utf8))
        }
        private static let keyed = FixtureText {
            $0.method = .post
            $0.body = .bytes(Data("order".utf8))
            $0.options = $0.options.retries(RetryPolicy(limit: 1, backoff: .every(.zero), addsIdempotencyKey: true))
        }
        /// A deadline that passes when the clock is moved.
        private static let impatient = FixtureText { $0.options = .timeouts(Timeouts(attempt: .seconds(9))) }

        private static let faults: [Fault] = [
            // The connection breaks.
            Fault("closed without an answer", .close),
            Fault("reset without an answer", .reset),
            Fault("cut in the head", .cutHeader()),
            Fault("cut before the first byte of the body", .shortBody(declared: 4, sent: Data())),
            Fault("cut in the body", .shortBody(declared: 4, sent: Data("go".utf8))),
            Fault("reset in the body", .resetInBody(after: 2, of: Self.body)),
            Fault(
                "cut in a chunk",
                LoopbackReply(
                    .bytes(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngo".utf8)), .close)),
            Fault(
                "closed before the last chunk",
                LoopbackReply(
                    .bytes(Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n".utf8)), .close)),
            Fault("POST: reset without an answer", .reset, .failure(.connectionLost), sent: 1, Self.post),
            Fault(
                "POST: cut in the body", .shortBody(declared: 4, sent: Data("go".utf8)), .failure(.connectionLost),
                sent: 1, Self.post),
            Fault("POST with a key: reset without an answer", .reset, .value, Self.keyed),
            // The server has trouble.
            Fault("503", .status(503)),
            Fault("429 that asks for no time", .status(429, headers: ["Retry-After": "0"])),
            Fault("408, and closed", .status(408).closing()),
            Fault(
                "503 that asks for too long", .status(503, headers: ["Retry-After": "9999"]),
                .failure(.unacceptableStatus), sent: 1),
            Fault("POST: 503", .status(503), .failure(.unacceptableStatus), sent: 1, Self.post),
            Fault("POST with a key: 502", .status(502), .value, Self.keyed),
            Fault("404", .status(404), .failure(.unacceptableStatus), sent: 1),
            // It speaks something else.
            Fault("no HTTP", .raw("220 mail.test ESMTP\r\n").closing(), .failure(.invalidResponse), sent: 1),
            Fault(
                "a length that is none", .raw("HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\ngood"),
                .failure(.invalidResponse), sent: 1),
            // It is slow.
            Fault(
                "a body that comes by bytes", .dripped(Self.body, chunk: 1, every: .milliseconds(1)), .value, sent: 1),
            Fault("silent before the head", LoopbackReply(.stall), .value, Self.impatient),
            Fault("silent in the body", .stallInBody(after: 2, of: Self.body), .value, Self.impatient),
        ]

        @Test(arguments: Self.faults)
        func `an answer that is not whole is none, and what may be sent again is`(fault: Fault) async throws {
            let scene = try StreamingScene()
            scene.server.route("*", "/a", fault.reply, .text("good"))
            let client = scene.client {
                $0.environment.clock = scene.clock
                $0.options = $0.options.retries(RetryPolicy(limit: 1, backoff: .every(.zero)))
            }
            let request = client.request(fault.call)
            await request.start()
            if !fault.call.options.timeouts.isEmpty {
                // Time passes once the first attempt is with the server, and not for the second one.
                #expect(await scene.server.waitForRequests(1))
                scene.clock.advance(by: .seconds(9))
            }
            switch fault.end {
            case .value: #expect(try await request.value == "good")
            case .failure(let code): #expect(await request.fixtureResult.fixtureFailure?.code == code)
            }
            #expect(scene.server.receivedCount == fault.sent)
            #expect(await client.record.count == 0)
            #expect(await client.scheduler.activeCount == 0)
        }

        @Test func `nobody listens, and then somebody does`() async throws {
            let scene = try StreamingScene()
            let port = scene.server.port
            scene.server.stop()
            _ = await scene.server.waitUntilStopped()
            let client = scene.client { $0.options = $0.options.retries(RetryPolicy(limit: 2, backoff: .every(.zero))) }
            // Also what is not idempotent: it did not get to the server.
            let error = await client.request(Self.post).fixtureResult.fixtureFailure
            #expect(error?.code == .cannotConnect && error?.context.attempts == 3, "port \(port)")
        }

        @Test func `a stalled answer is overtaken by that of a second request`() async throws {
            let scene = try StreamingScene()
            scene.server.route("*", "/a", .stallInBody(after: 2, of: Self.body), .text("good"))
            let client = scene.client {
                $0.environment.clock = scene.clock
                $0.options = $0.options.hedging(.after(.seconds(1)))
            }
            let request = client.request(FixtureText())
            await request.start()
            #expect(await scene.server.waitForRequests(1))
            await scene.clock.waitForSleeper()
            scene.clock.advance(by: .seconds(1))
            let response = try await request.response
            #expect(response.value == "good" && response.attempts == 2)
            #expect(await client.scheduler.activeCount == 0)
        }

        @Test func `a server that fails all is left alone`() async throws {
            let scene = try StreamingScene()
            scene.server.route("*", "/a", .reset)
            let client = scene.client {
                $0.options = $0.options.retries(RetryPolicy(limit: 1, backoff: .every(.zero)))
                $0.options = $0.options.circuitBreaker(
                    CircuitBreaker(failureRate: 0.5, minimumRequests: 5, openFor: .seconds(60)))
            }
            for _ in 0..<5 {
                #expect(await client.request(FixtureText()).fixtureResult.fixtureFailure?.code == .connectionLost)
            }
            let sent = scene.server.receivedCount
            #expect(await client.request(FixtureText()).fixtureResult.fixtureFailure?.code == .circuitOpen)
            #expect(scene.server.receivedCount == sent && sent == 10)
        }
    }
#endif
