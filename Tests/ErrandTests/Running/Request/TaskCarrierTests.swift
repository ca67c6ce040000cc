internal import Errand
internal import TestEffort
internal import Testing

@Suite("The carrier of parked runs", .timeLimit(.minutes(60)), .paced)
struct TaskCarrierTests {
    private final class Run: CarriedRun {
        let name: String
        let log: FixtureLog

        init(_ name: String, _ log: FixtureLog) {
            (self.name, self.log) = (name, log)
        }

        func resumeRun() { self.log.add(self.name) }
    }

    private let carrier = TaskCarrier()
    private let log = FixtureLog()

    @Test func `hears of what came while it was at work, and looks around once for that`() async {
        for _ in 1...2 { self.carrier.signal() }
        await self.carrier.serve()
        let again = Task {
            await self.carrier.serve()
            self.log.add("served")
        }
        for _ in 0..<200 { await Task.yield() }
        #expect(self.log.lines.isEmpty)
        self.carrier.signal()
        await again.value
        #expect(self.log.lines == ["served"])
    }

    @Test func `resumes what was woken once, in the order in which that was`() async {
        for name in ["1", "2"] { self.carrier.push(Run(name, self.log)) }
        self.carrier.resumeWoken()
        self.carrier.push(Run("3", self.log))
        await self.carrier.serve()
        self.carrier.resumeWoken()
        #expect(self.log.lines == ["1", "2", "3"])
    }

    @Test func `waits in a task that is cancelled, too`() async {
        let serving = Task {
            await self.carrier.serve()
            self.log.add("served")
        }
        serving.cancel()
        for _ in 0..<200 { await Task.yield() }
        #expect(self.log.lines.isEmpty)
        self.carrier.push(Run("1", self.log))
        await serving.value
        #expect(self.log.lines == ["1", "served"])
    }
}
