internal import Errand
internal import ErrandLocks

/// Shows the progress, the rate and the remaining time of each file and of all together, below the output.
final class TransferBoard: Accessory {
    /// The direction of the bodies.
    enum Direction: Sendable {
        case sent, received
    }

    private struct State {
        var running: [RequestID: (name: String, meter: TransferMeter)] = [:]
        /// The running transfers, in the order in which they started.
        var order: [RequestID] = []
        var endedCount = 0
    }

    private let direction: Direction
    /// The number of files, if known.
    private let count: Int?
    /// The name of the files; `nil` names each after its URL.
    private let name: String?
    private let sum: TransferMeter
    private let timebase = Timebase(ContinuousClock())
    private let state = Locked(State())

    init(_ direction: Direction, count: Int?, name: String? = nil) {
        self.direction = direction
        self.name = name.map(Terminal.oneLine)
        self.count = count
        // If the number of files is unknown, there are always more to come.
        self.sum = TransferMeter(of: count ?? 1 << 40, timebase: self.timebase)
    }

    /// Runs work with its progress shown, which is also updated while no data arrives, so that the rate stays correct.
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

    /// The lines to draw: one for each file and, if there are several, one for the sum.
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
        // The batch of all files is not a transfer.
        guard activity.kind == .request else { return }
        self.sum.didStop(activity, end)
        self.state.withLock { state in
            state.running[activity.id] = nil
            state.order.removeAll { $0 == activity.id }
            state.endedCount += 1
        }
    }

    /// Returns the meter of a request, once its destination is known.
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
