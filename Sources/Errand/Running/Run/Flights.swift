internal import ErrandLocks

/// The exchanges in flight that equal requests of a client share.
final class Flights: Sendable {
    /// The properties that make two requests equal.
    struct Key: Hashable {
        let request: CacheKey
        /// Identifies the defaults of the requests.
        ///
        /// They live as long as one of the requests.
        let plan: ObjectIdentifier
        /// The generation of the credentials: requests of different users are not equal.
        let generation: Int
        /// The options that affect the exchange.
        let rules: EffectiveOptions.SharedRules
        /// The tag, if it has a rate limit of its own: requests without it must not wait for that.
        let limitedTag: String?
    }

    private struct Entry {
        let flight: any Flight
        var count: Int
    }

    private let table = Locked<[Key: Entry]>([:])

    var count: Int { self.table.withLock { $0.count } }

    /// Joins the exchange in flight for a key, or begins one.
    ///
    /// An exchange that is over is not joined, because its response may be older than the request.
    ///
    /// - Returns: The exchange, and whether this call began it.
    func join(_ key: Key, making make: @autoclosure () -> any Flight) -> (flight: any Flight, isFirst: Bool) {
        let new = make()
        return self.table.withLock { table in
            if var entry = table[key], !entry.flight.isOver {
                entry.count += 1
                table[key] = entry
                return (entry.flight, false)
            }
            table[key] = Entry(flight: new, count: 1)
            return (new, true)
        }
    }

    /// Leaves an exchange after its end or before.
    ///
    /// The last one to leave removes it.
    func leave(_ key: Key, _ flight: any Flight) {
        self.table.withLock { table in
            guard var entry = table[key], entry.flight === flight else { return }
            entry.count -= 1
            table[key] = entry.count > 0 ? entry : nil
        }
    }
}

/// An exchange shared by several requests: a request of its own, without hooks and without an entry in the record.
///
/// It continues while a request waits for it, and is cancelled when the last one has left. Later requests get a new
/// run.
protocol Flight: AnyObject, Sendable {
    /// True once it is over.
    ///
    /// New requests then need another exchange.
    var isOver: Bool { get }
    /// Waits for the response.
    ///
    /// Errors have no request ID, so that each waiter can add its own.
    func wait() async -> Result<TypedResponse<HTTPResponse>, ErrandError>
    /// Raises the priority on behalf of a waiter.
    ///
    /// Has no effect when late.
    func raiseLater(to priority: RequestPriority)
}

/// Reports the events of a shared exchange to the hooks of the request that began it.
struct FlightObserver: SelectiveAccessory {
    let hooks: Hooks
    let activity: RequestActivity

    var usedHooks: UsedHooks { [.notices, .otherEvents] }

    func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.hooks.observe(event, of: self.activity)
    }
}
