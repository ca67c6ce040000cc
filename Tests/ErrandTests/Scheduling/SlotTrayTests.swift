internal import Errand
internal import ErrandMachines
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Scheduling: slots that are put down (G8)", .timeLimit(.minutes(60)), .paced)
struct SlotTrayTests {
    private func tickets(_ count: Int) -> [AdmissionMachine.Ticket] {
        var machine = AdmissionMachine(limits: AdmissionMachine.Limits(total: count, perHost: count))
        return (0..<count).compactMap { _ in
            guard case .admitted(let ticket) = machine.enqueue(host: "a", priority: .normal) else { return nil }
            return ticket
        }
    }

    @Test func `are told of only while a slot is awaited`() {
        let tray = SlotTray()
        let tickets = self.tickets(3)
        var taken: [SlotTray.Slot] = []
        #expect(!tray.put(tickets[0]))
        tray.take(into: &taken, isAwaited: true)
        #expect(taken.map(\.ticket) == [tickets[0]])
        #expect(tray.put(tickets[1]))
        taken = []
        tray.take(into: &taken, isAwaited: false)
        #expect(taken.map(\.ticket) == [tickets[1]])
        #expect(!tray.put(tickets[2]))
    }

    @Test func `are seen by whoever looks, and given to whoever comes next`() async throws {
        let world = FixtureWorld { $0.limits = Scheduler.Limits(total: 1, perHost: 1) }
        world.transport.route("*", .text("x"))
        for _ in 0..<10 {
            _ = try await world.client.send(FixtureText("http://a.test/"))
            #expect(await world.client.scheduler.activeCount == 0)
            _ = try await world.client.send(FixtureText("http://b.test/"))
        }
        await world.expectAtRest()
    }
}
