internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("The network settings of a client", .timeLimit(.minutes(60)), .paced)
struct ClientNetworkTests {
    private let server: LoopbackServer

    init() throws {
        self.server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("here") }])
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: ErrandError.Code
        let change: @Sendable (inout TransportSettings) -> Void

        init(_ name: String, _ code: ErrandError.Code, _ change: @escaping @Sendable (inout TransportSettings) -> Void)
        {
            self.testDescription = name
            self.code = code
            self.change = change
        }
    }

    private static let wrong = [
        Wrong("a bad pin", .invalidTLSPolicy) { $0.tls.standard.pins = ["sha256/short"] },
        Wrong("a bad pin of another host", .invalidTLSPolicy) {
            $0.tls.hosts["other.test"] = TLSPolicy.Rules(pins: ["md5/x"])
        },
        Wrong("an authority that cannot be read", .invalidTLSPolicy) {
            $0.tls.standard.trust = .authorities([.file(URL(filePath: "/does/not/exist.pem"))])
        },
        Wrong("an authority that is none", .invalidTLSPolicy) { $0.tls.standard.trust = .authorities([.text("x")]) },
        Wrong("a bad pattern", .invalidTLSPolicy) { $0.tls.hosts["a.*.test"] = TLSPolicy.Rules() },
        Wrong("a bad proxy", .invalidConfiguration) { $0.proxy = .url("ftp://proxy.test") },
        Wrong("no proxy", .invalidConfiguration) { $0.proxy = .url("") },
        Wrong("a bad interface", .invalidConfiguration) { $0.interface = "a b" },
        Wrong("a bad socket", .invalidConfiguration) { $0.unixSocket = "relative" },
        Wrong("no connections", .invalidConfiguration) { $0.maximumIdleConnections = 0 },
    ]

    @Test(arguments: Self.wrong)
    func `fail every request when they are wrong, and nothing is sent`(wrong: Wrong) async throws {
        let client = Client(baseURL: self.server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            wrong.change(&$0.network)
        }
        for _ in 0..<2 {
            let error = await streamingFailure { _ = try await client.send(FixtureText()) }
            #expect(error?.code == wrong.code)
        }
        #expect(self.server.connectionsAccepted == 0)
        #expect(await client.scheduler.activeCount == 0)
        await client.shutdown()
    }

    @Test func `do not go with a transport that is given`() async throws {
        let transport = StubTransport()
        transport.route("*", .text("here"))
        let recorder = EventRecorder()
        let client = Client(baseURL: self.server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            $0.transport = transport
            $0.network.nameCacheLifetime = .seconds(1)
            $0.accessories = [recorder]
        }
        #expect(await streamingFailure { _ = try await client.send(FixtureText()) }?.code == .invalidConfiguration)
        let stream = await streamingFailure { try await client.stream(FixtureData()) { _ in } }
        #expect(stream?.code == .invalidConfiguration)
        #expect(transport.receivedCount == 0)
        #expect(recorder.entries.isEmpty)
    }

    @Test func `may be the standard ones beside a transport`() async throws {
        let transport = StubTransport()
        transport.route("*", .text("there"))
        let client = Client(baseURL: self.server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            $0.transport = transport
            $0.network = TransportSettings()
        }
        #expect(try await client.send(FixtureText()) == "there")
    }

    #if os(Linux)
        @Test func `reach the transport that the client makes`() async throws {
            let client = Client(baseURL: "http://errand.test/") {
                $0.network.proxy = .url("http://127.0.0.1:\(self.server.port)")
            }
            #expect(try await client.send(FixtureText()) == "here")
            #expect(self.server.received.first?.target == "http://errand.test/a")
        }
    #endif
}
