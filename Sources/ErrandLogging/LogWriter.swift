internal import Dispatch
internal import Errand
internal import ErrandLocks
internal import Foundation

/// Collects records, and writes them as lines on a thread of its own.
///
/// A caller puts its record into a buffer under a lock and returns. The first record after an idle period schedules a
/// write a moment later, so that records that arrive meanwhile are written together. As long as records are left, a job
/// on the queue retains the writer, so the writer is deallocated only after everything was written.
final class LogWriter: Sendable {
    /// The limits of the buffer.
    struct Bounds {
        let records: Int
        /// The size of bodies, header fields and messages.
        let bytes: Int
    }

    private struct State {
        /// Optionals, so that each record can be moved out.
        var records: [LogRecord?] = []
        /// An empty array with the capacity of the largest buffer since the last idle period.
        var spare: [LogRecord?] = []
        var bytes = 0
        var dropped = 0
        /// The number of records that were accepted, and the number of those that have been written or dropped.
        var accepted: UInt64 = 0
        var settled: UInt64 = 0
        /// True while a job is scheduled that reads the buffer.
        var isAwaited = false
        /// True while a job is scheduled that reads it without delay.
        var isHurried = false
        var flushes: [(upTo: UInt64, waiter: Waiter<Void>)] = []
    }

    private let state = Locked(State())
    /// Accessed only on the queue: this lock is never contended, and may be held for as long as a sink takes.
    private let output: Locked<LogOutput>
    private let bounds: Bounds
    /// A queue of its own, since a sink may block its thread forever.
    private let queue = DispatchQueue(label: "errand.logging", qos: .utility)

    /// The time for which lines are collected to be written together.
    private static let delay = DispatchTimeInterval.milliseconds(5)

    init(_ output: LogOutput, _ bounds: Bounds) {
        self.output = Locked(output)
        self.bounds = bounds
    }

    // MARK: - Accepting records

    private enum Wish {
        case nothing
        case soon
        case now
    }

    func append(_ record: consuming LogRecord, weight: Int = 0) {
        // Moved into the buffer: a copy would retain and release all parts.
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
            // Hurry once, when the buffer is half full.
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

    /// Waits until all records accepted so far have been written or dropped; returns early when the task is cancelled.
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
        // Certain to be woken: by the job, which settles what it takes, or by cancellation if the sink never returns.
        guard await waiter.wait() == nil else { return }
        self.state.withLock { $0.flushes.removeAll { $0.waiter === waiter } }
    }

    // MARK: - Writing

    private enum Round {
        case write(dropped: Int)
        /// A few records have arrived meanwhile: wait for more.
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

    /// Decides what to do next.
    ///
    /// - Parameters:
    ///   - isFirst: True if the job has just begun.
    ///   - records: An empty array, which becomes the next buffer; replaced with the records to write.
    /// - Returns: The next step.
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
