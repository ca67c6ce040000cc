internal import Errand
internal import ErrandLocks

/// A gate that holds replies of loopback servers back until a test opens it.
///
/// One gate may hold any number of connections of any number of servers. Once open it stays open.
public final class LoopbackGate: Sendable {
    private struct State {
        var isOpen: Bool
        var mailboxes: [ObjectIdentifier: LoopbackMailbox] = [:]
    }

    private let state: Locked<State>
    private let arrivals = LoopbackMilestone()

    /// Creates a gate, closed unless told otherwise.
    public init(isOpen: Bool = false) {
        state = Locked(State(isOpen: isOpen))
    }

    /// Whether replies may pass.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// The number of replies that have come to this gate so far, whether they had to wait or not.
    public var reachedCount: Int { arrivals.count }

    /// Opens the gate and wakes every server that holds a reply on it; does nothing when it is open.
    public func open() {
        let mailboxes = state.withLock { state in
            state.isOpen = true
            defer { state.mailboxes = [:] }
            return state.mailboxes
        }
        for mailbox in mailboxes.values { mailbox.post(opened: self) }
    }

    /// Waits until replies have come to this gate at least `times` times, counted from its creation.
    ///
    /// - Parameter times: How many replies to wait for.
    /// - Returns: `false` if the waiting task was cancelled first.
    @discardableResult
    public func waitUntilReached(times: Int = 1) async -> Bool {
        await arrivals.wait(for: times)
    }

    // MARK: - Called by loops

    /// Notes a reply's arrival; `false` says that it must wait and that `mailbox` will be told when the gate opens.
    ///
    /// The gate may open as soon as this has entered the mailbox, before the loop has put the connection aside.
    /// The loop reads its mailbox only later, so it will find the connection.
    func arrive(_ mailbox: LoopbackMailbox) -> Bool {
        let passes = state.withLock { state in
            if !state.isOpen { state.mailboxes[ObjectIdentifier(mailbox)] = mailbox }
            return state.isOpen
        }
        arrivals.advance()
        return passes
    }

    /// Forgets a loop that holds nothing on this gate any more.
    func leave(_ mailbox: LoopbackMailbox) {
        state.withLock { $0.mailboxes[ObjectIdentifier(mailbox)] = nil }
    }
}
