internal import ErrandLocks

/// The exchanges that equal requests of a client share while they are under way.
final class Flights: Sendable {
    /// What makes two requests equal.
    struct Key: Hashable {
        let request: CacheKey
        /// The defaults that they were made from, which lives as long as one of them.
        let plan: ObjectIdentifier
        /// How often the credentials had been forgotten: those of another user are not equal.
        let generation: Int
        /// What their options say of the exchange.
        let rules: EffectiveOptions.SharedRules
        /// That of its tag where it has a rate of its own: others do not wait for that.
        let limitedTag: String?
    }

    private struct Entry {
        let flight: any Flight
        var count: Int
    }

    private let table = Locked<[Key: Entry]>([:])

    /// How many there are.
    var count: Int { self.table.withLock { $0.count } }

    /// Joins the exchange that is under way for a key, or begins one: one that is over is not joined, since what it
    /// brought may be older than who asks.
    ///
    /// - Returns: The exchange, and whether it was begun by this.
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

    /// Someone has the response, or waits for it no more; the last one to leave takes the exchange out.
    func leave(_ key: Key, _ flight: any Flight) {
        self.table.withLock { table in
            guard var entry = table[key], entry.flight === flight else { return }
            entry.count -= 1
            table[key] = entry.count > 0 ? entry : nil
        }
    }
}

/// One exchange that requests share: a request of its own that no hook and no record knows.
///
/// It goes on while anyone waits for it, and is cancelled when the last one has left; who comes after that gets a new run.
protocol Flight: AnyObject, Sendable {
    /// `true` once it is over: requests that come now need another one.
    var isOver: Bool { get }
    /// Waits for its response, in the words of whoever waits.
    func wait() async -> Result<TypedResponse<HTTPResponse>, ErrandError>
    /// Someone who waits for it is so urgent; late, it does nothing.
    func raiseLater(to priority: RequestPriority)
}

/// Tells whoever began an exchange that others share what happens in it.
struct FlightObserver: SelectiveAccessory {
    let hooks: Hooks
    let activity: RequestActivity

    var usedHooks: UsedHooks { [.notices, .otherEvents] }

    func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.hooks.observe(event, of: self.activity)
    }
}
