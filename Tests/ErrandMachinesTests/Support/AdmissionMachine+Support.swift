import ErrandMachines
import Testing

extension AdmissionMachine {
    /// Enqueues a ticket that must have a place at once.
    mutating func admitted(host: String, _ priority: Priority = .normal) throws -> Ticket {
        let action = self.enqueue(host: host, priority: priority)
        guard case .admitted(let ticket) = action else { throw Violation(description: "\(host) has to wait") }
        return ticket
    }

    /// Enqueues a ticket that must wait.
    mutating func waiting(host: String, _ priority: Priority = .normal) throws -> Ticket {
        let action = self.enqueue(host: host, priority: priority)
        guard case .wait(let ticket) = action else { throw Violation(description: "\(host) need not wait") }
        return ticket
    }

    /// Admits all that can be, in their order.
    mutating func drained() -> [Ticket] {
        var tickets: [Ticket] = []
        while let ticket = self.admitNext() { tickets.append(ticket) }
        return tickets
    }

    /// The order in which tickets go when each gives its place to the next.
    mutating func order(after holder: Ticket) -> [Ticket] {
        var order: [Ticket] = []
        var last = holder
        while self.leave(last) == .freedPlace, let next = self.admitNext() {
            order.append(next)
            last = next
        }
        return order
    }
}
