internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Without libcurl", .timeLimit(.minutes(60)), .paced)
    struct CurlFallbackTests {
        @Test func `requests go through URLSession, which accessories are told once`() async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            server.route("GET", "/text", .text("four"))
            let recorder = EventRecorder()
            let client = Client(baseURL: server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
                $0.transport = OwnedTransport.fallback(TransportSettings(), "a planned problem")
                $0.accessories = [recorder]
            }
            for _ in 0..<3 { #expect(try await client.send(CurlCall("/text")) == 4) }
            #expect(
                Self.notices(recorder) == [
                    "libcurl cannot be used, so requests go through URLSession: a planned problem"
                ])
        }

        @Test func `the notice waits for somebody who listens`() async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            server.route("GET", "/text", .text("four"))
            let transport = OwnedTransport.fallback(TransportSettings(), "a planned problem")
            let recorder = EventRecorder()
            for accessories in [[], [recorder]] {
                let client = Client(baseURL: server.baseURL) {
                    $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
                    $0.transport = transport
                    $0.accessories = accessories
                }
                #expect(try await client.send(CurlCall("/text")) == 4)
            }
            #expect(Self.notices(recorder).count == 1)
        }

        private static func notices(_ recorder: EventRecorder) -> [String] {
            recorder.entries.compactMap {
                guard case .event(.notice(let words)) = $0.call else { return nil }
                return words
            }
        }
    }
#endif
