internal import Errand
internal import ErrandLocks

/// Shows below what is printed how far each file is, how fast, and how long it will take; and so of all in sum.
final class TransferBoard: Accessory {
    /// Which of the bodies a command is about.
    enum Direction: Sendable {
        case sent, received
    }

    private struct State {
        var running: [RequestID: (name: String, meter: TransferMeter)] = [:]
        /// Those that run, in the order in which they began.
        var order: [RequestID] = []
        var endedCount = 0
    }

    private let direction: Direction
    /// How many files there are, where that is known.
    private let count: Int?
    /// What the files are called; `nil` to call each after its URL.
    private let name: String?
    private let sum: TransferMeter
    private let timebase = Timebase(ContinuousClock())
    private let state = Locked(State())

    init(_ direction: Direction, count: Int?, name: String? = nil) {
        self.direction = direction
        self.name = name.map(Terminal.oneLine)
        self.count = count
        // Where nobody knows how many there will be, there are always more.
        self.sum = TransferMeter(of: count ?? 1 << 40, timebase: self.timebase)
    }

    /// Runs work, and draws meanwhile: also when nothing comes, so that the rate tells.
    func shown<T: Sendable>(on console: Console, during work: () async -> T) async -> T {
        // Ends with the group, which cancels it when the work is done.
        let result = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    await console.showTransfers(self.lines)
                    try? await Task.sleep(for: .milliseconds(150))
                }
            }
            let result = await work()
            group.cancelAll()
            return result
        }
        await console.endProgress()
        return result
    }

    /// What is drawn: a line for each file, and unless there is but one, a last one for the sum.
    var lines: [TransferLine] {
        let (running, endedCount) = self.state.withLock { state in
            (state.order.compactMap { state.running[$0] }, state.endedCount)
        }
        let lines = running.map { self.line($0.name, $0.meter.reading) }
        guard self.count != 1 else { return lines }
        let of = self.count.map { " of \($0)" } ?? ""
        return lines + [self.line("\(endedCount)\(of) files", self.sum.reading)]
    }

    private func line(_ name: String, _ reading: TransferMeter.Reading) -> TransferLine {
        let progress = self.direction == .sent ? reading.sent : reading.received
        return TransferLine(
            name: name, bytes: progress.bytes, total: progress.total, bytesPerSecond: reading.bytesPerSecond)
    }

    // MARK: - Accessory

    func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.sum.observe(event, of: activity)
        self.meter(of: activity)?.observe(event, of: activity)
    }

    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        // The batch of all files is none of them.
        guard activity.kind == .request else { return }
        self.sum.didStop(activity, end)
        self.state.withLock { state in
            state.running[activity.id] = nil
            state.order.removeAll { $0 == activity.id }
            state.endedCount += 1
        }
    }

    /// The meter of a request, from when it is known where it goes.
    private func meter(of activity: RequestActivity) -> TransferMeter? {
        self.state.withLock { state in
            if let running = state.running[activity.id] { return running.meter }
            guard let url = activity.request?.url else { return nil }
            let meter = TransferMeter(of: 1, timebase: self.timebase)
            state.running[activity.id] = (self.name ?? OutputNames.component(url), meter)
            state.order.append(activity.id)
            return meter
        }
    }
}
