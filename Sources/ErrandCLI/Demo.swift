internal import Errand
internal import ErrandTesting
internal import ErrandTimeline

/// The command `errand demo`: plays the scenes and prints a summary.
struct Demo: Sendable {
    private let scenes: [DemoScene]
    private let console: Console
    private let interruption: Interruption
    private let file: TimelineFile?

    init(_ options: DemoOptions, drawnInto file: TimelineFile?, console: Console, interruption: Interruption) {
        self.init(
            scenes: DemoScenes.all + [DemoStream(requests: options.requests).scene], drawnInto: file, console: console,
            interruption: interruption)
    }

    /// Creates a demo with other scenes.
    init(
        scenes: [DemoScene], drawnInto file: TimelineFile? = nil, console: Console, interruption: Interruption
    ) {
        self.file = file
        self.scenes = scenes
        self.console = console
        self.interruption = interruption
    }

    /// Plays all scenes; returns the exit code.
    func run() async -> Int32 {
        let server: DemoServer
        do throws(LoopbackError) {
            server = try DemoServer()
        } catch {
            await self.console.complain(error.description)
            return Program.ExitCode.failure
        }
        let timeline = self.file.map { _ in TimelineAccessory() }
        let stage = DemoStage(server: server, console: self.console, timeline: timeline)
        // Unstructured, so that a signal can cancel it; awaited below.
        let playing = Task { await self.playAll(on: stage) }
        self.interruption.onRaise { playing.cancel() }
        let code = await playing.value
        await stage.client.shutdown()
        server.loopback.stop()
        await server.loopback.waitUntilStopped()
        guard let file = self.file, let timeline else { return code }
        do throws(TimelineFile.Problem) {
            try file.write(timeline.timeline, TimelineRendering(title: "errand demo"))
            return code
        } catch {
            await self.console.complain(error.message)
            return Program.ExitCode.failure
        }
    }

    private func playAll(on stage: DemoStage) async -> Int32 {
        await self.console.line("The server listens at \(stage.server.loopback.baseURL)")
        var wrongScenes = 0
        for (number, scene) in self.scenes.enumerated() {
            let isFine = await self.play(scene, number + 1, on: stage)
            guard !Task.isCancelled else { return Program.ExitCode.failure }
            if !isFine { wrongScenes += 1 }
        }
        await self.console.line("")
        guard wrongScenes > 0 else {
            await self.console.line("\(self.scenes.count) scenes, all as expected", .good)
            return Program.ExitCode.success
        }
        await self.console.line("\(self.scenes.count) scenes, \(wrongScenes) not as expected", .bad)
        return Program.ExitCode.failure
    }

    private func play(_ scene: DemoScene, _ number: Int, on stage: DemoStage) async -> Bool {
        let wrongBefore = await stage.checks.wrongCount
        await self.console.line("")
        await self.console.line("\(number)  \(scene.title)", .heading)
        do {
            try await scene.play(stage)
        } catch {
            await stage.checks.fail("the scene failed: \(error)")
        }
        return await stage.checks.wrongCount == wrongBefore
    }
}
