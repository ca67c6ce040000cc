internal import ErrandLocks
public import Foundation

/// Shows how far one request, batch or chain is as a `Progress` of Foundation.
///
/// Of a request it counts bytes: those of both bodies, sent and received. It is indeterminate as long as nobody knows
/// how many there will be, and begins anew with each attempt. Of a batch or chain it counts children and steps.
///
/// ```swift
/// let reporter = ProgressAccessory()
/// let request = client.request(GetFilm(), options: .accessories([reporter]))
/// reporter.whenCancelled { request.cancel() }
/// window.addChild(reporter.progress, withPendingUnitCount: 1)
/// ```
///
/// It belongs to the first piece of work that starts with it, and takes no notice of others.
public final class ProgressAccessory: Accessory {
    private struct State {
        var id: RequestID?
        /// Bytes of the request body, where they are known.
        var toSend: Int64?
        var sent: Int64 = 0
        /// Bytes of the response body, where they are known.
        var toReceive: Int64?
        var received: Int64 = 0
        var isOver = false
    }

    /// Held while any of them changes what it shows: several may have one parent, which Foundation on Linux does not
    /// guard.
    private static let turn = Locked(())

    /// How far it is; finished once the work has succeeded, and left where it was by one that failed.
    public let progress: Progress
    private let state = Locked(State())
    /// What to do when the progress is cancelled, until that has happened or the work is over: it holds the work, which
    /// may hold this.
    private let cancellation = Locked<(@Sendable () async -> Void)?>(nil)

    /// Creates an indeterminate progress.
    ///
    /// - Parameters:
    ///   - parent: The progress that it becomes a part of, if any.
    ///   - pendingUnitCount: How many units of the parent it stands for.
    public init(parent: Progress? = nil, pendingUnitCount: Int64 = 1) {
        self.progress = Progress(totalUnitCount: -1)
        parent?.addChild(self.progress, withPendingUnitCount: pendingUnitCount)
    }

    /// Says what to do when the progress is cancelled: by whom it was given to, or by its parent.
    ///
    /// - Parameter cancel: Cancels the work; called once, in a task of its own. Called at once if that has happened
    ///   already.
    public func whenCancelled(_ cancel: @escaping @Sendable () async -> Void) {
        self.cancellation.withLock { $0 = cancel }
        // One that ended before, or ends meanwhile, lets go of it here or there.
        guard !self.state.withLock({ $0.isOver }) else { return self.cancellation.withLock { $0 = nil } }
        self.progress.cancellationHandler = { [weak self] in self?.wasCancelled() }
        if self.progress.isCancelled { self.wasCancelled() }
    }

    private func wasCancelled() {
        guard let cancel = self.cancellation.withLock({ $0.take() }) else { return }
        // Unstructured: whoever cancels a progress does not wait. Ends with that one call.
        spawn { await cancel() }
    }

    // MARK: - Accessory

    /// Takes the work for its own, if it has none yet.
    public func willStart(_ activity: RequestActivity) {
        self.state.withLock { if $0.id == nil { $0.id = activity.id } }
    }

    /// Takes over how far the work is.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.change(activity) { state in
            switch event {
            case .attemptStarted:
                state.toSend = (try? activity.request?.body.length()) ?? nil
                state.sent = 0
                // A download that goes on, or comes in segments, is as far as it was.
                if state.toSend != 0 { (state.toReceive, state.received) = (nil, 0) }
                self.showBytes(state)
            case .sent(let sent):
                state.sent = sent.bytes
                state.toSend = sent.total ?? state.toSend
                self.showBytes(state)
            case .received(let received):
                state.received = received.bytes
                state.toReceive = received.total ?? state.toReceive
                self.showBytes(state)
            case .progress(let finished, let total):
                self.show(Int64(finished), of: total.map(Int64.init))
            default:
                break
            }
        }
    }

    /// Shows that the work is over.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.change(activity) { state in
            state.isOver = true
            guard end.error == nil else { return }
            let count = max(self.progress.completedUnitCount, self.progress.totalUnitCount, 1)
            self.set(count, of: count)
        }
        if self.state.withLock({ $0.isOver }) { self.cancellation.withLock { $0 = nil } }
    }

    // MARK: - Showing

    /// What is shown is changed under the lock, so that what comes last is what holds.
    private func change(_ activity: RequestActivity, _ change: (inout State) -> Void) {
        Self.turn.withLock { _ in
            // Foundation tells those who watch: not under the lock of the state, which they may need.
            var state = self.state.withLock { $0 }
            guard state.id == activity.id, !state.isOver else { return }
            change(&state)
            self.state.withLock { $0 = state }
        }
    }

    private func showBytes(_ state: State) {
        let isSending = state.received == 0 && state.toReceive == nil
        let total =
            isSending ? state.toSend : state.toReceive.flatMap { Self.sum($0, max(state.toSend ?? 0, state.sent)) }
        self.show(
            Self.sum(state.sent, state.received) ?? Self.limit, of: total.flatMap { 1...Self.limit ~= $0 ? $0 : nil })
    }

    /// The most that is shown: a server may name any number, and Foundation multiplies with it.
    private static let limit: Int64 = 1 << 48

    /// The sum of two numbers, if it can be shown.
    private static func sum(_ one: Int64, _ other: Int64) -> Int64? {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge || sum > Self.limit ? nil : sum
    }

    /// Shows a number, short of all: only an end is one.
    private func show(_ count: Int64, of total: Int64?) {
        let total = total.map { max($0, count) } ?? -1
        self.set(total > 0 ? min(count, total - 1) : count, of: total)
    }

    /// Sets both numbers, and on the way to another total none: Foundation on Linux traps where more is done than there
    /// is, or where one total makes way for another one and what is done times the first of them is too large.
    private func set(_ count: Int64, of total: Int64) {
        if self.progress.totalUnitCount != total {
            self.progress.completedUnitCount = 0
            self.progress.totalUnitCount = -1
            self.progress.totalUnitCount = total
        }
        if self.progress.completedUnitCount != count { self.progress.completedUnitCount = count }
    }
}
