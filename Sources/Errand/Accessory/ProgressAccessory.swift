public import Foundation

/// Shows how far one request, batch or chain is as a `Progress` of Foundation.
///
/// Of a request it counts bytes: those of both bodies, sent and received. It is indeterminate as long as nobody knows how many
/// there will be, and begins anew with each attempt. Of a batch or chain it counts children and steps.
///
/// ```swift
/// let reporter = ProgressAccessory()
/// let request = client.request(GetFilm(), options: RequestOptions(accessories: [reporter]))
/// reporter.whenCancelled { await request.cancel() }
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

    /// How far it is; finished once the work has succeeded, and left where it was by one that failed.
    public let progress: Progress
    private let state = Locked(State())

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
    /// - Parameter cancel: Cancels the work; called once, in a task of its own. Called at once if that has happened already.
    public func whenCancelled(_ cancel: @escaping @Sendable () async -> Void) {
        // Unstructured: whoever cancels a progress does not wait. Ends with that one call.
        self.progress.cancellationHandler = { spawn { await cancel() } }
        if self.progress.isCancelled { self.progress.cancellationHandler?() }
    }

    // MARK: - Accessory

    /// Takes the work for its own, if it has none yet.
    public func willStart(_ activity: Activity) async {
        self.state.withLock { if $0.id == nil { $0.id = activity.id } }
    }

    /// Takes over how far the work is.
    public func observe(_ event: ActivityEvent, of activity: Activity) {
        self.change(activity) { state in
            switch event {
            case .attemptStarted:
                state.toSend = (try? activity.request?.body.length()) ?? nil
                state.toReceive = nil
                (state.sent, state.received) = (0, 0)
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
    public func didStop(_ activity: Activity, _ end: ActivityEnd) async {
        self.change(activity) { state in
            state.isOver = true
            guard end.error == nil else { return }
            let count = max(self.progress.completedUnitCount, 1)
            self.show(count, of: count)
        }
    }

    // MARK: - Showing

    /// What is shown is changed under the lock, so that what comes last is what holds.
    private func change(_ activity: Activity, _ change: (inout State) -> Void) {
        self.state.withLock { state in
            guard state.id == activity.id, !state.isOver else { return }
            change(&state)
        }
    }

    private func showBytes(_ state: State) {
        let isSending = state.received == 0 && state.toReceive == nil
        let total = isSending ? state.toSend : state.toReceive.map { $0 + max(state.toSend ?? 0, state.sent) }
        self.show(state.sent + state.received, of: total.flatMap { $0 > 0 ? $0 : nil })
    }

    private func show(_ count: Int64, of total: Int64?) {
        let total = total.map { max($0, count) } ?? -1
        if self.progress.totalUnitCount != total { self.progress.totalUnitCount = total }
        if self.progress.completedUnitCount != count { self.progress.completedUnitCount = count }
    }
}
