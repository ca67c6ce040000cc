internal import ErrandLocks
package import ErrandMachines

/// Where slots are put down that nobody waits for: the scheduler takes them in when somebody comes.
///
/// Why nobody waits in vain: the scheduler says that a slot is awaited in the same step, under the same lock, in which
/// it takes what lies here. A slot that was put down before is taken in that step; whoever puts one down after it is
/// told, and comes.
package final class SlotTray: Sendable {
    private struct State {
        var tickets: [AdmissionMachine.Ticket] = []
        var isAwaited = false
    }

    private let state = Locked(State())

    package init() {}

    /// Puts down a slot; answers whether the scheduler has to be told.
    package func put(_ ticket: AdmissionMachine.Ticket) -> Bool {
        self.state.withLock { state in
            state.tickets.append(ticket)
            return state.isAwaited
        }
    }

    /// Moves what lies here to an empty list.
    package func take(into tickets: inout [AdmissionMachine.Ticket], isAwaited: Bool) {
        self.state.withLock { state in
            state.isAwaited = isAwaited
            swap(&state.tickets, &tickets)
        }
    }
}
