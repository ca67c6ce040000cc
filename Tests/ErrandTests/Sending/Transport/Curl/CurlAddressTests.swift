internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

#if os(Linux)
    /// The host two.test has addresses that drop every packet before the one with a server (RFC 8305 §5).
    @Suite("CurlTransport and a host with several addresses", .timeLimit(.minutes(60)), .paced)
    struct CurlAddressTests {
        private let server: LoopbackServer
        private let silent: [SilentAddress]

        init() throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/text") { _ in .text("four") }])
            self.server = server
            self.silent = try [2, 3].map { try SilentAddress($0, port: server.port) }
        }

        /// A client whose deadlines never pass, because its clock stands still; libcurl has a clock of its own.
        private func client(_ addresses: [String], _ timeouts: Timeouts) -> Client {
            let port = self.server.port
            var settings = TransportSettings()
            settings.proxy = .none
            let transport = CurlTransport(
                settings: settings, version: nil, addresses: "two.test:\(port):\(addresses.joined(separator: ","))")
            return Client(baseURL: "http://two.test:\(port)/") {
                $0.transport = transport
                $0.environment.clock = TestClock()
                $0.options = $0.options.timeouts(timeouts)
            }
        }

        private static let deadlines = [
            Timeouts(connect: .milliseconds(200)), Timeouts(firstByte: .milliseconds(200)),
            Timeouts(idle: .milliseconds(200)), Timeouts(attempt: .milliseconds(200)),
            Timeouts(total: .milliseconds(200)), Timeouts(connect: .seconds(3_600), attempt: .milliseconds(200)),
        ]

        @Test(arguments: deadlines, [["127.0.0.2", "127.0.0.1"], ["127.0.0.2", "127.0.0.3", "127.0.0.1"]])
        func `the next address is tried before a deadline passes`(
            _ timeouts: Timeouts, _ addresses: [String]
        ) async throws {
            let client = self.client(addresses, timeouts)
            let response = try await client.response(for: CurlCall("/text"))
            #expect(response.value == 4)
            #expect(response.metrics?.remoteAddress == "127.0.0.1")
            await client.shutdown()
        }

        @Test(.enabled(if: TestEffort.isFull, "takes three seconds"))
        func `the next address is tried soon where no deadline is set`() async throws {
            let client = self.client(["127.0.0.2", "127.0.0.1"], .unlimited)
            #expect(try await client.send(CurlCall("/text")) == 4)
            await client.shutdown()
        }

        @Test func `libcurl has a quarter more time than the exchange`() {
            #expect((30_000...37_500).contains(CurlConnectPace(limit: .seconds(30)).milliseconds()))
            #expect(CurlConnectPace(limit: .zero).milliseconds() == 1)
            #expect(CurlConnectPace(limit: .seconds(-9)).milliseconds() == 1)
            for limit in [nil, Duration.longest, .seconds(Int64.max), .seconds(86_400)] {
                #expect(CurlConnectPace(limit: limit).milliseconds() == 86_400_000)
            }
        }

        @Test func `addresses that gave up are tried once more, and refusals are final`() {
            for (code, microseconds) in [(7, 3_000_000), (28, 900_000)] as [(Int32, Int64)] {
                var pace = CurlConnectPace(limit: .seconds(30))
                #expect(!pace.isPatient)
                #expect(pace.startsOver(after: code, microseconds) == true)
                #expect(pace.isPatient)
                #expect(pace.startsOver(after: code, microseconds) == false)
            }
            for (code, microseconds) in [(7, 1000), (28, 1000), (6, 3_000_000), (35, 3_000_000)] as [(Int32, Int64)] {
                var pace = CurlConnectPace(limit: .seconds(30))
                #expect(pace.startsOver(after: code, microseconds) == false)
                #expect(!pace.isPatient)
            }
        }
    }
#endif
