internal import ErrandLocks
package import ErrandMachines

/// Where slots are put down that nobody waits for: the scheduler takes them in when somebody comes.
///
/// Why nobody waits in vain: the scheduler says that a slot is awaited in the same step, under the same lock, in which
/// it takes what lies here. A slot that was put down before is taken in that step; whoever puts one down after it is
/// told, and comes.
package final class SlotTray: Sendable {
    /// A slot that was given back, and whether its host was seen to serve many requests over one connection.
    package struct Slot: Sendable {
        package let ticket: AdmissionMachine.Ticket
        package let isMultiplexed: Bool?
    }

    private struct State {
        var slots: [Slot] = []
        var isAwaited = false
    }

    private let state = Locked(State())

    package init() {}

    /// Puts down a slot; answers whether the scheduler has to be told.
    package func put(_ ticket: AdmissionMachine.Ticket, isMultiplexed: Bool? = nil) -> Bool {
        self.state.withLock { state in
            state.slots.append(Slot(ticket: ticket, isMultiplexed: isMultiplexed))
            return state.isAwaited
        }
    }

    /// Moves what lies here to an empty list.
    package func take(into slots: inout [Slot], isAwaited: Bool) {
        self.state.withLock { state in
            state.isAwaited = isAwaited
            swap(&state.slots, &slots)
        }
    }
}
