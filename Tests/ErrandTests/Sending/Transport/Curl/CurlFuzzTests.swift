internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    /// Whatever a server sends, an exchange ends with a value or an ``ErrandError``.
    ///
    /// `ERRAND_FUZZ_SEED` says which cases there are.
    @Suite("CurlTransport and broken responses", .serialized, .timeLimit(.minutes(60)), .paced)
    struct CurlFuzzTests {
        private static let count = TestEffort.rounds(of: 5_000)
        private static let seed = UInt64(Self.number("ERRAND_FUZZ_SEED") ?? 1) << 32

        private static func number(_ name: String) -> Int? {
            ProcessInfo.processInfo.environment[name].flatMap(Int.init)
        }

        @Test(arguments: FuzzResponses.templates.indices)
        func `what is not broken is understood`(_ index: Int) async throws {
            let template = FuzzResponses.templates[index]
            let server = try LoopbackServer()
            defer { server.stop() }
            server.fallback { _ in LoopbackReply(.bytes(template.bytes), .close) }
            let body = try await CurlExchangeCall(server, "/").outcome(over: CurlTransport()).get()
            #expect(body == template.body)
        }

        @Test func `end with a value or an error`() async throws {
            let responses = FuzzResponses(seed: Self.seed)
            var options = LoopbackOptions()
            options.recordLimit = 0
            // Several: the ports of connections that were closed lately cannot be used again with the same server.
            let servers = try (0..<8).map { _ in try LoopbackServer(options: options) }
            defer { for server in servers { server.stop() } }
            for server in servers {
                server.fallback { request in
                    responses[Int(request.path.dropFirst()) ?? 0].reply
                }
            }
            var settings = TransportSettings()
            settings.maximumIdleConnections = 1
            let transport = CurlTransport(settings: settings)
            let values = await withTaskGroup(of: Int.self) { group in
                for lane in 0..<48 {
                    group.addTask {
                        var values = 0
                        for number in stride(from: lane, to: Self.count, by: 48) {
                            values += await self.perform(number, responses, servers[number % 8], transport)
                        }
                        return values
                    }
                }
                return await group.reduce(0, +)
            }
            // Broken enough, and not too much.
            #expect(values > Self.count / 10 && values < Self.count * 9 / 10, "\(values) of \(Self.count)")
            #expect(await transport.ledger()?.active == 0)
            print("fuzz: \(values) values of \(Self.count)")
        }

        /// Answers 1 for a value, and 0 for an error.
        private func perform(
            _ number: Int, _ responses: FuzzResponses, _ server: LoopbackServer, _ transport: CurlTransport
        ) async -> Int {
            do {
                var call = try CurlExchangeCall(server, "/\(number)", headers: ["Connection": "close"])
                call.destination = Self.destination(number)
                let data = try await call.outcome(over: transport).get()
                if let body = responses[number].body, body != data { Issue.record("\(number): \(data.count) bytes") }
                return 1
            } catch {
                if responses[number].body != nil { Issue.record("\(number): \(error)") }
                return 0
            }
        }

        private static func destination(_ number: Int) -> ExchangeContext.BodyDestination {
            switch number % 3 {
            case 0: .memory(limit: 1 << 20)
            case 1: .stream(buffer: 1 << (number % 16))
            default: .file(FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)"))
            }
        }
    }
#endif
