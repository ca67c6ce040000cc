internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    /// Whatever number stands in a setting, the process goes on: a request is answered, or fails with an error.
    @Suite("Extreme numbers in settings", .timeLimit(.minutes(60)), .paced)
    struct ExtremeSettingsTests {
        private func client(_ server: LoopbackServer, _ change: (inout Client.Configuration) -> Void) -> Client {
            var configuration = Client.Configuration(baseURL: server.baseURL)
            configuration.network.proxy = .none
            change(&configuration)
            return Client(configuration)
        }

        @Test(arguments: [Int.max, .max - 1, 1 << 32, 1 << 20, 1])
        func `any number of idle connections goes with requests at once`(limit: Int) async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("x") }])
            let client = self.client(server) { $0.network.maximumIdleConnections = limit }
            async let first = client.send(FixtureText("1"))
            async let second = client.send(FixtureText("2"))
            async let third = client.send(FixtureText("3"))
            #expect(try await [first, second, third] == ["x", "x", "x"])
            await client.shutdown()
        }

        @Test func `any numbers together end a request, and never the process`() async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("x") }])
            var numbers = SplitMix64(seed: 9)
            var answered = 0
            for round in 0..<60 {
                let client = self.client(server) { Self.spoil(&$0, &numbers) }
                let results = await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<3 {
                        group.addTask { (try? await client.send(FixtureText("\(round)-\(number)"))) == "x" }
                    }
                    return await group.reduce(into: [Bool]()) { $0.append($1) }
                }
                answered += results.count { $0 }
                await client.shutdown()
            }
            #expect(answered > 10, "most numbers are possible")
        }

        private static func spoil(_ configuration: inout Client.Configuration, _ numbers: inout SplitMix64) {
            configuration.network.maximumIdleConnections = .extreme(&numbers)
            configuration.network.nameCacheLifetime = .extreme(&numbers)
            configuration.limits.concurrency = RequestScheduler.Limits(
                total: .extreme(&numbers), perHost: .extreme(&numbers))
            configuration.limits.responseBody = .extreme(&numbers)
            configuration.options = configuration.options.redirects(.follow(limit: .extreme(&numbers)))
            configuration.options = configuration.options.timeout(connect: .extremeLimit(&numbers))
            configuration.options = configuration.options.timeout(firstByte: .extremeLimit(&numbers))
            configuration.options = configuration.options.timeout(idle: .extremeLimit(&numbers))
            configuration.options = configuration.options.timeout(attempt: .extremeLimit(&numbers))
            configuration.options = configuration.options.timeout(total: .extremeLimit(&numbers))
        }
    }
#endif

extension Int {
    /// A number at an end of what there is, mostly the upper one.
    static func extreme(_ numbers: inout SplitMix64) -> Int {
        let all = [Int.max, .max, .max - 1, .max / 2, 1 << 32, 64, 1, 0, -1, .min]
        return all[numbers.next(below: all.count)]
    }
}

extension Duration {
    /// The longest that the standard library makes of a number of seconds.
    static let longest = Duration.seconds(1.7e20)

    /// A duration at an end of what there is.
    static func extreme(_ numbers: inout SplitMix64) -> Duration {
        let all: [Duration] = [
            .longest, .seconds(Int64.max), Duration(secondsComponent: .max, attosecondsComponent: 999), .seconds(60),
            .nanoseconds(1), .zero, .nanoseconds(-1), .seconds(Int64.min), .zero - .longest,
        ]
        return all[numbers.next(below: all.count)]
    }

    /// None, or a long one, and a few that have passed before they begin.
    static func extremeLimit(_ numbers: inout SplitMix64) -> Duration? {
        let all: [Duration?] = [nil, .longest, .seconds(Int64.max), .seconds(3600)]
        return numbers.next(below: 12) == 0 ? .extreme(&numbers) : all[numbers.next(below: all.count)]
    }
}
