internal import Errand
internal import ErrandTesting
internal import ErrandTimeline
internal import Foundation

/// A batch and a chain with a simulated distant server, in virtual time, so that the result is always the same.
struct FarDemo: Sendable {
    private static let replies: [String: FarTransport.Reply] = [
        "/v1/images/sun.png": Self.picture(wait: 62, body: 88),
        "/v1/images/moon.png": Self.picture(wait: 48, body: 46),
        "/v1/images/ann.png": Self.picture(wait: 52, body: 70),
        "/v1/users": .init(
            wait: 74, body: 9, type: "application/json", content: Data(#"{"nick":"ann","level":7}"#.utf8)),
        "/v1/note": .init(wait: 58, body: 12, type: "text/plain; charset=utf-8", content: Data("Bonjour".utf8)),
        "/v1/register": .init(wait: 96, body: 8, type: "application/json", content: Data(#"{"userID":"42"}"#.utf8)),
    ]

    private static func picture(wait: Int, body: Int) -> FarTransport.Reply {
        FarTransport.Reply(wait: wait, body: body, type: "image/png", content: Data(repeating: 0, count: body << 10))
    }

    private let console: Console

    init(console: Console) {
        self.console = console
    }

    /// Plays the demo and draws its timeline; returns the exit code.
    func run(into file: TimelineFile?) async -> Int32 {
        do {
            let (timeline, user) = try await Self.play()
            for span in timeline.spans where span.parent == nil { await self.tell(span) }
            let checks = DemoChecks(console: self.console)
            await checks.expect(user.level, equals: 7, "the values are what the server sent")
            try file?.write(timeline, TimelineRendering(title: "A batch and a chain"))
            return await checks.wrongCount == 0 ? Program.ExitCode.success : Program.ExitCode.failure
        } catch let problem as TimelineFile.Problem {
            await self.console.complain(problem.message)
        } catch {
            await self.console.complain("\(error)")
        }
        return Program.ExitCode.failure
    }

    private func tell(_ span: Timeline.Span) async {
        let milliseconds = span.interval.duration / .milliseconds(1)
        await self.console.line(
            "   \(span.name) of \(span.endedChildren ?? 0): \(span.outcome) after \(Int(milliseconds)) ms")
    }

    /// Returns the timeline and the value of the chain.
    static func play() async throws -> (Timeline, GetUserInfo.Response) {
        try await Simulation.run(seed: 1) { simulation in
            let accessory = TimelineAccessory(clock: simulation.clock)
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = FarTransport(clock: simulation.clock, replies: Self.replies)
                $0.environment.clock = simulation.clock
                $0.limits.concurrency = RequestScheduler.Limits(total: 3, perHost: 3)
                $0.accessories = [accessory]
            }
            let (_, _, user, _) = try await client.batch(
                GetImage(name: "sun.png"), GetImage(name: "moon.png"), GetUserInfo(userID: DemoServer.userID),
                GetNote()
            ).value
            _ = try await client.chain(Register(account: DemoServer.account))
                .then { GetUserInfo(userID: $0.userID) }
                .then { GetImage(name: "\($0.nick).png") }
                .value
            return (accessory.timeline, user)
        }
    }
}
