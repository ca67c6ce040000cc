internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// What is wrong with a setting is said with its name, its value and what to do.
@Suite("Settings: what messages say", .timeLimit(.minutes(60)), .paced)
struct SettingMessageTests {
    private func message(_ configure: (inout Client.Configuration) -> Void) async -> String? {
        let world = FixtureWorld(configure)
        world.transport.route("a", .text("x"))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .invalidConfiguration)
        return error?.message
    }

    @Test(
        arguments: [
            (RateLimits(total: RateLimit(0)), "rates.total has a count of 0, which has to be at least 1"),
            (RateLimits(perHost: RateLimit(-3)), "rates.perHost has a count of -3, which has to be at least 1"),
            (
                RateLimits(hosts: ["a.test": RateLimit(1), "b.test": RateLimit(1, per: .zero)]),
                "rates.hosts[\"b.test\"] has a time of 0.0 seconds, which has to be longer than zero"
            ),
            (
                RateLimits(tags: ["search": RateLimit(1, burst: 0)]),
                "rates.tags[\"search\"] has a burst of 0, which has to be at least 1"
            ),
            (
                RateLimits(serverHold: .seconds(-1)),
                "rates.serverHold is -1.0 seconds: it has to be longer than zero, or nil"
            ),
        ])
    func `a limit of rate that cannot be kept is named with its value`(rates: RateLimits, words: String) async {
        let message = await self.message { $0.limits.rates = rates }
        #expect(message?.hasPrefix(words) == true, "\(message ?? "")")
        #expect(
            rates.serverHold != nil || message?.hasSuffix("; to stop sending, pause the client's scheduler") == true)
    }

    @Test(arguments: [(0, nil), (nil, -5)] as [(Int?, Int?)])
    func `a limit of bandwidth that cannot be kept is named with its value`(sending: Int?, receiving: Int?) async {
        let message = await self.message {
            $0.options = $0.options.bandwidth(BandwidthLimit(sending: sending, receiving: receiving))
        }
        let words = sending.map { "sending: \($0)" } ?? "receiving: \(receiving ?? 0)"
        #expect(message?.hasPrefix("a BandwidthLimit has \(words), which has to be at least 1 byte per second") == true)
    }

    @Test func `a header field for deadlines that cannot be one is named`() async {
        let message = await self.message { $0.options = $0.options.deadlineHeader(.seconds("time left")) }
        #expect(message == "deadlineHeader has the name \"time left\", which is not a field name")
    }

    @Test func `settings of the network beside a transport are named with the transport`() async {
        let message = await self.message { $0.network.maximumIdleConnections = 3 }
        #expect(message?.contains("but a StubTransport is set: configure that transport instead") == true)
    }

    private static let wrong: [(settings: TransportSettings, words: String)] = [
        (.with { $0.maximumIdleConnections = 0 }, "maximumIdleConnections is 0: at least 1"),
        (.with { $0.nameCacheLifetime = .seconds(-1) }, "nameCacheLifetime is -1.0 seconds: it cannot be less than"),
        (
            .with { $0.idleConnectionLifetime = .seconds(-1) },
            "idleConnectionLifetime is -1.0 seconds: it cannot be less"
        ),
        (.with { $0.interface = "eth0!" }, "interface is \"eth0!\", which is not the name of an interface"),
        (.with { $0.unixSocket = "run/a.sock" }, "unixSocket is \"run/a.sock\", which is not the path of a socket"),
    ]

    @Test(arguments: Self.wrong)
    func `a setting of the network that cannot be kept is named with its value`(
        settings: TransportSettings, words: String
    ) {
        let error = #expect(throws: ErrandError.self) { try settings.validate() }
        #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
    }
}
