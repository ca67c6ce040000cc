internal import Errand
internal import ErrandLocks

/// A gate that holds replies of loopback servers until a test opens it.
///
/// One gate can hold any number of connections of any number of servers. Once open it stays open.
public final class LoopbackGate: Sendable {
    private struct State {
        var isOpen: Bool
        var mailboxes: [ObjectIdentifier: LoopbackMailbox] = [:]
    }

    private let state: Locked<State>
    private let arrivals = LoopbackMilestone()

    /// Creates a gate, which is closed by default.
    public init(isOpen: Bool = false) {
        state = Locked(State(isOpen: isOpen))
    }

    /// A Boolean value that indicates whether replies may pass.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// The number of replies that have reached this gate so far, whether they had to wait or not.
    public var reachedCount: Int { arrivals.count }

    /// Opens the gate and resumes all replies held by it; does nothing if it is open.
    public func open() {
        let mailboxes = state.withLock { state in
            state.isOpen = true
            defer { state.mailboxes = [:] }
            return state.mailboxes
        }
        for mailbox in mailboxes.values { mailbox.post(opened: self) }
    }

    /// Waits until replies have reached this gate at least `times` times, counted from its creation.
    ///
    /// - Parameter times: The number of replies to wait for.
    /// - Returns: `false` if the waiting task was cancelled first.
    @discardableResult
    public func waitUntilReached(times: Int = 1) async -> Bool {
        await arrivals.wait(for: times)
    }

    // MARK: - Called by loops

    /// Records a reply's arrival; returns `false` if it must wait for a post to `mailbox` when the gate opens.
    ///
    /// The gate may open as soon as this has entered the mailbox, before the loop has recorded the connection as held.
    /// The loop reads its mailbox only later, so it will find the connection.
    func arrive(_ mailbox: LoopbackMailbox) -> Bool {
        let passes = state.withLock { state in
            if !state.isOpen { state.mailboxes[ObjectIdentifier(mailbox)] = mailbox }
            return state.isOpen
        }
        arrivals.advance()
        return passes
    }

    /// Removes a loop that no longer holds a connection on this gate.
    func leave(_ mailbox: LoopbackMailbox) {
        state.withLock { $0.mailboxes[ObjectIdentifier(mailbox)] = nil }
    }
}
