internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite(.timeLimit(.minutes(60)), .paced)
struct DemoTests {
    @Test func `plays seven scenes, all as expected`() async {
        let harness = ProgramHarness()
        #expect(await harness.run("demo", "--requests", "300") == 0)
        let lines = harness.output.lines
        #expect(lines.last == "7 scenes, all as expected")
        #expect(lines.count { $0.hasPrefix("   ok: ") } >= 30)
        #expect(!lines.contains { $0.contains("WRONG") })
        #expect(lines.contains("   300 of 300"))
        #expect(harness.errors.text.isEmpty)
    }

    @Test func `indents children and shows their positions`() async {
        let harness = ProgramHarness()
        let scene = DemoScene(title: "a chain") { stage in
            _ = try await stage.client.chain(Register(account: DemoServer.account))
                .then { GetUserInfo(userID: $0.userID) }.value
        }
        #expect(await self.play([scene], harness) == 0)
        let hooks = harness.output.lines.filter { $0.contains("#") }
        let places = hooks.map { $0.prefix { $0 != "#" } }
        #expect(
            places == ["   ", "   "] + Array(repeating: "     [0] ", count: 4)
                + Array(repeating: "     [1] ", count: 4) + ["   ", "   "])
        let names = ["willStart", "didStart", "willStop", "didStop"]
        #expect(
            hooks.map { line in names.first { line.contains(" \($0)") } } == [
                "willStart", "didStart", "willStart", "didStart", "willStop", "didStop",
                "willStart", "didStart", "willStop", "didStop", "willStop", "didStop",
            ])
    }

    @Test func `fails when a scene comes out wrong, and says how`() async {
        let harness = ProgramHarness()
        let scenes = [
            DemoScene(title: "fine") { await $0.checks.expect(true, "it is") },
            DemoScene(title: "wrong") { await $0.checks.expect(1, equals: 2, "they are equal") },
            DemoScene(title: "broken") { _ = try await $0.client.send(GetUserInfo(userID: "nobody")) },
        ]
        #expect(await self.play(scenes, harness) == 1)
        #expect(harness.output.lines.contains("   WRONG: they are equal, but 1 is not 2"))
        #expect(harness.output.lines.contains { $0.hasPrefix("   WRONG: the scene failed: unacceptableStatus: ") })
        #expect(harness.output.lines.last == "3 scenes, 2 not as expected")
    }

    @Test func `ends a scene that waits when it is interrupted`() async {
        let harness = ProgramHarness()
        let (stalled, continuation) = AsyncStream.makeStream(of: Void.self)
        let scenes = [
            DemoScene(title: "endless") { stage in
                let request = stage.client.request(GetNothing())
                await request.start()
                await stage.server.loopback.waitForRequests(1)
                continuation.finish()
                _ = try await request.value
            },
            DemoScene(title: "never") { await $0.checks.fail("it was played") },
        ]
        async let code = self.play(scenes, harness)
        for await _ in stalled {}
        harness.interruption.raise(.signal(2))
        _ = await code
        #expect(!harness.output.text.contains("WRONG"))
        #expect(!harness.output.text.contains("never"))
    }

    private func play(_ scenes: [DemoScene], _ harness: ProgramHarness) async -> Int32 {
        await Demo(scenes: scenes, console: harness.program.console, interruption: harness.interruption).run()
    }
}
