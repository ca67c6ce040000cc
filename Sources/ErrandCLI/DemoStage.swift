internal import Errand
internal import ErrandTesting
internal import ErrandTimeline

/// What a scene plays with.
struct DemoStage: Sendable {
    /// On this machine an answer takes milliseconds; one that does not come must not hold up the demo.
    static let timeouts = Timeouts(attempt: .seconds(600))

    let server: DemoServer
    let console: Console
    let checks: DemoChecks
    /// Prints every hook of the client.
    let accessory: PrintingAccessory
    /// Notes what runs when, if that is wanted; of the streamed batch nothing: beside it nobody would see the other
    /// scenes.
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

    /// Waits until the server is where a scene wants it, or until the work of these states is over without that.
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

    /// Checks that nothing of a scene is left over, and that so many pieces of work had their four hooks.
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
    /// Plays it; a thrown error is one that the scene did not expect.
    let play: @Sendable (DemoStage) async throws -> Void
}

extension Result where Failure == ErrandError {
    /// The code of the failure, or `ok`.
    var word: String {
        switch self {
        case .success: "ok"
        case .failure(let error): error.code.description
        }
    }
}
