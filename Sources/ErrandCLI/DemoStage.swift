internal import Errand
internal import ErrandTesting
internal import ErrandTimeline

/// The environment of a scene.
struct DemoStage: Sendable {
    /// A local response takes milliseconds; a missing one must not block the demo.
    static let timeouts = Timeouts(attempt: .seconds(600))

    let server: DemoServer
    let console: Console
    let checks: DemoChecks
    /// Prints every hook of the client.
    let accessory: PrintingAccessory
    /// Records the timeline, if requested, without the streamed batch, which would hide the other scenes.
    let timeline: TimelineAccessory?
    let client: Client

    init(server: DemoServer, console: Console, timeline: TimelineAccessory? = nil) {
        let accessory = PrintingAccessory(console: console)
        self.server = server
        self.console = console
        self.checks = DemoChecks(console: console)
        self.accessory = accessory
        self.timeline = timeline
        self.client = Client(baseURL: server.loopback.baseURL) {
            $0.accessories = [accessory]
            if let timeline { $0.accessories.append(timeline) }
            $0.options = RequestOptions().timeouts(Self.timeouts)
        }
    }

    /// Waits until the server is ready for the next step of a scene, or until the activity with these states has ended.
    func wait(_ isReady: @escaping @Sendable () async -> Void, while states: AsyncStream<RequestState>) async {
        await withTaskGroup { group in
            group.addTask { await isReady() }
            group.addTask {
                for await _ in states {}
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Checks that no activity of a scene is left, and that the given number of activities ran their four hooks.
    func expectOrder(of count: Int) async {
        let tally = await self.accessory.takeTally()
        await self.checks.expect(
            tally.ended == count && tally.isOrderly,
            count == 1 ? "each of the four hooks ran once, in order" : "\(count) times four hooks ran once, in order")
        await self.checks.expect(await self.client.record.count, equals: 0, "nothing is left in the record")
    }
}

/// One scene of the demo.
struct DemoScene: Sendable {
    let title: String
    /// Plays the scene; any error that it throws is unexpected.
    let play: @Sendable (DemoStage) async throws -> Void
}

extension Result where Failure == ErrandError {
    /// The error code, or `ok`.
    var word: String {
        switch self {
        case .success: "ok"
        case .failure(let error): error.code.description
        }
    }
}
