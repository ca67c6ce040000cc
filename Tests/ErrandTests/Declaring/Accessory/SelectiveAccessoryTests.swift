internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Accessories that say which hooks they have", .timeLimit(.minutes(60)), .paced)
struct SelectiveAccessoryTests {
    /// Passes on what it is called for, and says which hooks it has.
    private struct Picky: SelectiveAccessory {
        let recorder: EventRecorder
        let usedHooks: UsedHooks

        func willStart(_ activity: RequestActivity) { self.recorder.willStart(activity) }
        func didStart(_ activity: RequestActivity) { self.recorder.didStart(activity) }
        func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
            self.recorder.willStop(activity, end)
        }
        func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
            self.recorder.didStop(activity, end)
        }
        func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
            self.recorder.observe(event, of: activity)
        }
    }

    /// What is recorded of one request with these accessories for all, and others of its own.
    private func run(_ accessories: [any Accessory], own: [any Accessory] = []) async throws {
        let transport = StubTransport()
        transport.route("*", .text("four"))
        let client = Client(baseURL: "https://api.example.com/") {
            $0.transport = transport
            $0.accessories = accessories
        }
        _ = try await client.request(FixtureText(), options: .accessories(own)).value
        await client.shutdown()
    }

    private static let choices: [(UsedHooks, [String])] = [
        (.willStart, ["willStart"]), (.didStart, ["didStart"]), (.willStop, ["willStop"]), (.didStop, ["didStop"]),
        ([.willStart, .didStop], ["willStart", "didStop"]), ([], []),
        (.all, ["willStart", "didStart", "willStop", "didStop"]),
    ]

    @Test(arguments: choices)
    func `are called for these and for no others`(_ hooks: UsedHooks, _ names: [String]) async throws {
        for isOwn in [false, true] {
            let recorder = EventRecorder()
            let picky = Picky(recorder: recorder, usedHooks: hooks)
            try await self.run(isOwn ? [] : [picky], own: isOwn ? [picky] : [])
            let ids = Set(recorder.entries.map(\.activity.id))
            #expect(ids.count == (hooks.isEmpty ? 0 : 1))
            #expect(ids.flatMap { recorder.hooks(of: $0) } == names)
            let hasEvents = recorder.entries.contains { if case .event = $0.call { true } else { false } }
            #expect(hasEvents == hooks.contains(.otherEvents))
        }
    }

    @Test func `notices come without other events, and others without notices`() async throws {
        for (hooks, expected) in [(UsedHooks.notices, ["notice"]), (UsedHooks.otherEvents, ["queued"])] {
            let recorder = EventRecorder()
            let accessories = Hooks([Picky(recorder: recorder, usedHooks: hooks)])
            let activity = RequestActivity(id: .next(), kind: .request)
            accessories.observe(.notice("something"), of: activity)
            accessories.observe(.queued, of: activity)
            #expect(recorder.names(of: activity.id) == expected)
        }
    }

    @Test func `those beside them are called for everything, in the order given`() async throws {
        let order = EventRecorder()
        let first = Picky(recorder: order, usedHooks: .didStop)
        let second = Picky(recorder: order, usedHooks: .all)
        try await self.run([first], own: [second])
        let id = try #require(order.entries.first?.activity.id)
        #expect(order.hooks(of: id) == ["willStart", "didStart", "willStop", "didStop", "didStop"])
    }
}
