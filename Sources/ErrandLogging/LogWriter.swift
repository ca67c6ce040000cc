internal import Dispatch
internal import Errand
internal import ErrandLocks
internal import Foundation

/// Takes records in, and writes them as lines on a thread of its own.
///
/// Whoever hands in a record puts it into a buffer under a lock and goes on. The first one of a quiet time has the
/// buffer emptied a moment later, so that those that come meanwhile are written together. While there is something to
/// write, a job on the queue holds the writer; so nothing of it is left when nobody holds it and all is written.
final class LogWriter: Sendable {
    /// How much may wait to be written.
    struct Bounds {
        let records: Int
        /// Of bodies, header fields and messages.
        let bytes: Int
    }

    private struct State {
        /// In such a form that each can be taken out.
        var records: [LogRecord?] = []
        /// An empty list with room for as many as have come at once since the last quiet time.
        var spare: [LogRecord?] = []
        var bytes = 0
        var dropped = 0
        /// How many records were taken in, and how many of those have been written or given up.
        var accepted: UInt64 = 0
        var settled: UInt64 = 0
        /// Whether a job is on its way that looks at the buffer.
        var isAwaited = false
        /// Whether one is on its way that does so at once.
        var isHurried = false
        var flushes: [(upTo: UInt64, waiter: Waiter<Void>)] = []
    }

    private let state = Locked(State())
    /// Only used on the queue: nobody ever waits for this lock, and so it may be held for as long as a sink takes.
    private let output: Locked<LogOutput>
    private let bounds: Bounds
    /// A sink may keep its thread for ever: a queue of our own gets another one if it has to.
    private let queue = DispatchQueue(label: "errand.logging", qos: .utility)

    /// How long lines are collected to be written together.
    private static let delay = DispatchTimeInterval.milliseconds(5)

    init(_ output: LogOutput, _ bounds: Bounds) {
        self.output = Locked(output)
        self.bounds = bounds
    }

    // MARK: - Taking in

    private enum Wish {
        case nothing
        case soon
        case now
    }

    func append(_ record: consuming LogRecord, weight: Int = 0) {
        // Moved into the buffer: a copy would count all its parts up and down.
        var record: LogRecord? = record
        let wish = self.state.withLock { state -> Wish in
            guard state.records.count < self.bounds.records,
                state.bytes == 0 || state.bytes + weight <= self.bounds.bytes
            else {
                state.dropped += 1
                return .nothing
            }
            state.records.append(record.take())
            state.bytes += weight
            state.accepted += 1
            defer { state.isAwaited = true }
            // Half full is the time to hurry, once.
            if state.records.count == self.bounds.records / 2, !state.isHurried {
                state.isHurried = true
                return .now
            }
            return state.isAwaited ? .nothing : .soon
        }
        switch wish {
        case .nothing: break
        case .soon: self.queue.asyncAfter(deadline: .now() + Self.delay) { self.drain() }
        case .now: self.queue.async { self.drain() }
        }
    }

    /// Waits until all that was taken in so far has been written or given up; returns early when the task is cancelled.
    func flush() async {
        let waiter = Waiter<Void>()
        let (isDone, isHurried) = self.state.withLock { state in
            guard state.settled < state.accepted else { return (true, false) }
            state.isAwaited = true
            state.flushes.append((state.accepted, waiter))
            defer { state.isHurried = true }
            return (false, state.isHurried)
        }
        guard !isDone else { return }
        if !isHurried { self.queue.async { self.drain() } }
        // Certain to be woken: the job settles what it takes, unless the sink never returns; then by cancelling.
        guard await waiter.wait() == nil else { return }
        self.state.withLock { $0.flushes.removeAll { $0.waiter === waiter } }
    }

    // MARK: - On the queue

    private enum Round {
        case write(dropped: Int)
        /// A few have come meanwhile: more of them are worth waiting for.
        case wait
        case end
    }

    private func drain() {
        var isFirst = true
        var records: [LogRecord?] = []
        while true {
            switch self.takeRound(isFirst, into: &records) {
            case .write(let dropped):
                let count = records.count
                self.output.withLock { $0.write(&records, dropped: dropped) }
                self.settle(count)
                isFirst = false
            case .wait: return self.queue.asyncAfter(deadline: .now() + Self.delay) { self.drain() }
            case .end: return
            }
        }
    }

    /// Finds out what there is to do.
    ///
    /// - Parameters:
    ///   - isFirst: Whether the job has just begun.
    ///   - records: An empty list, which becomes the next buffer; what is to be written comes in its place.
    /// - Returns: What that is.
    private func takeRound(_ isFirst: Bool, into records: inout [LogRecord?]) -> Round {
        self.state.withLock { state in
            if isFirst {
                state.isHurried = false
                swap(&state.spare, &records)
            }
            guard !state.records.isEmpty else {
                state.isAwaited = false
                (state.records, state.spare) = ([], [])
                return .end
            }
            let isUrgent = !state.flushes.isEmpty || state.records.count >= self.bounds.records / 4
            guard isFirst || isUrgent || state.dropped > 0 else {
                swap(&state.spare, &records)
                return .wait
            }
            defer {
                swap(&state.records, &records)
                state.bytes = 0
                state.dropped = 0
            }
            return .write(dropped: state.dropped)
        }
    }

    private func settle(_ count: Int) {
        let woken = self.state.withLock { state -> [Waiter<Void>] in
            state.settled += UInt64(count)
            guard !state.flushes.isEmpty else { return [] }
            let settled = state.settled
            defer { state.flushes.removeAll { $0.upTo <= settled } }
            return state.flushes.filter { $0.upTo <= settled }.map(\.waiter)
        }
        for waiter in woken { waiter.resume(()) }
    }
}
