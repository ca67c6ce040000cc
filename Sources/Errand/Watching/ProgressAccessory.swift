internal import ErrandLocks
public import Foundation

/// Reports the progress of a request, batch or chain as a Foundation `Progress`.
///
/// For a request it counts the bytes of both bodies, sent and received. The progress is indeterminate while the total
/// is unknown, and starts again with each attempt. For a batch or chain it counts children or steps.
///
/// ```swift
/// let reporter = ProgressAccessory()
/// let request = client.request(GetFilm(), options: .accessories([reporter]))
/// reporter.whenCancelled { request.cancel() }
/// window.addChild(reporter.progress, withPendingUnitCount: 1)
/// ```
///
/// It follows the first activity that starts with it, and ignores others.
public final class ProgressAccessory: Accessory {
    private struct State {
        var id: RequestID?
        /// The size of the request body, if known.
        var toSend: Int64?
        var sent: Int64 = 0
        /// The size of the response body, if known.
        var toReceive: Int64?
        var received: Int64 = 0
        var isOver = false
    }

    /// Held for each update of a `Progress`: several may have a common parent, which Foundation on Linux does not
    /// protect.
    private static let turn = Locked(())

    /// The progress: finished when the activity succeeds, and left unchanged when it fails.
    public let progress: Progress
    private let state = Locked(State())
    /// The cancellation handler, until it is called or the activity is over: it retains the activity, which may retain
    /// this object.
    private let cancellation = Locked<(@Sendable () async -> Void)?>(nil)

    /// Creates an indeterminate progress.
    ///
    /// - Parameters:
    ///   - parent: The parent of the progress, if any.
    ///   - pendingUnitCount: The number of the parent's units that it represents.
    public init(parent: Progress? = nil, pendingUnitCount: Int64 = 1) {
        self.progress = Progress(totalUnitCount: -1)
        parent?.addChild(self.progress, withPendingUnitCount: pendingUnitCount)
    }

    /// Sets the handler for a cancellation of the progress or its parent.
    ///
    /// - Parameter cancel: Cancels the activity. Called once, in its own task; called at once if the progress is
    ///   already cancelled.
    public func whenCancelled(_ cancel: @escaping @Sendable () async -> Void) {
        self.cancellation.withLock { $0 = cancel }
        // If the activity has ended, or ends concurrently, the handler is released here or there.
        guard !self.state.withLock({ $0.isOver }) else { return self.cancellation.withLock { $0 = nil } }
        self.progress.cancellationHandler = { [weak self] in self?.wasCancelled() }
        if self.progress.isCancelled { self.wasCancelled() }
    }

    private func wasCancelled() {
        guard let cancel = self.cancellation.withLock({ $0.take() }) else { return }
        // Unstructured, because cancelling a progress does not wait. Ends with that call.
        spawn { await cancel() }
    }

    // MARK: - Accessory

    /// Follows the activity, if it is the first one.
    public func willStart(_ activity: RequestActivity) {
        self.state.withLock { if $0.id == nil { $0.id = activity.id } }
    }

    /// Updates the progress from an event.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.change(activity) { state in
            switch event {
            case .attemptStarted:
                state.toSend = (try? activity.request?.body.length()) ?? nil
                state.sent = 0
                // A resumed or segmented download continues its progress.
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

    /// Ends the progress.
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

    /// Updates the progress under a lock, so that the last update is the current one.
    private func change(_ activity: RequestActivity, _ change: (inout State) -> Void) {
        Self.turn.withLock { _ in
            // Foundation calls observers: not under the lock of the state, which they may need.
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

    /// The largest total: a server can announce any number, and Foundation multiplies it.
    private static let limit: Int64 = 1 << 48

    /// Returns the sum, unless it exceeds the limit.
    private static func sum(_ one: Int64, _ other: Int64) -> Int64? {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge || sum > Self.limit ? nil : sum
    }

    /// Shows a count below the total, which only the end reaches.
    private func show(_ count: Int64, of total: Int64?) {
        let total = total.map { max($0, count) } ?? -1
        self.set(total > 0 ? min(count, total - 1) : count, of: total)
    }

    /// Sets count and total, with a count of zero in between: Foundation on Linux traps if the count exceeds the total,
    /// or if the total changes and the product of count and old total is too large.
    private func set(_ count: Int64, of total: Int64) {
        if self.progress.totalUnitCount != total {
            self.progress.completedUnitCount = 0
            self.progress.totalUnitCount = -1
            self.progress.totalUnitCount = total
        }
        if self.progress.completedUnitCount != count { self.progress.completedUnitCount = count }
    }
}
