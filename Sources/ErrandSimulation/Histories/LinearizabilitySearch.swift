/// Looks for an order of operations that a model explains: the algorithm of Wing and Gong (1993) with the memory of
/// Lowe (2017).
///
/// It goes through the orders depth first. An operation can be next if no other without a place returned before it was
/// called; it is given a place if the model returns in the present state what it has returned. Whatever cannot go on is
/// taken back. A configuration, that is which operations have a place and the state after them, is entered once.
///
/// Operations that did not return are tried after those that did, and need no place; one that would leave the state as
/// it is gets none there.
struct LinearizabilitySearch<Model: LinearizableModel> {
    typealias Entry = History<Model.Operation, Model.Result>.Entry

    /// What came out.
    enum Verdict {
        /// The entries, by their places in what was searched, that have one, in order.
        case linearizable(order: [Int])
        /// There is no such order.
        case notLinearizable
        /// The number of configurations was not enough.
        case undecided
    }

    private struct Configuration: Hashable {
        let placed: OperationSet
        let state: Model.State
    }

    private struct Place {
        let operation: Int
        let stateBefore: Model.State
    }

    private let model: Model
    private let entries: [Entry]
    private let limit: Int
    private var events: EventList
    private var state: Model.State
    private var places: [Place] = []
    private var placed: OperationSet
    private var visited: Set<Configuration> = []
    private var unplacedReturns: Int
    private var unplacedPending: Int
    /// The event that is looked at.
    private var cursor: Int
    /// Whether it is the turn of the operations that did not return.
    private var triesPending = false

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - entries: The operations, in the order of their calls.
    ///   - model: What they must obey.
    ///   - limit: The largest number of configurations to enter.
    init(_ entries: [Entry], model: Model, limit: Int) {
        self.model = model
        self.entries = entries
        self.limit = limit
        self.events = EventList(entries.map { ($0.called, $0.result == nil ? nil : $0.ended) })
        self.state = model.initialState
        self.placed = OperationSet(capacity: entries.count)
        self.unplacedReturns = entries.count { $0.result != nil }
        self.unplacedPending = entries.count - self.unplacedReturns
        self.cursor = self.events.next(after: EventList.end)
    }

    /// The number of configurations that were entered.
    var searched: Int { self.visited.count }

    /// Returns the states in which the search has been after just the given operations.
    ///
    /// After a search that found no order, these are all states that any order of them leads to.
    func states(after operations: some Sequence<Int>) -> [Model.State] {
        var wanted = OperationSet(capacity: self.entries.count)
        for operation in operations { wanted.insert(operation) }
        return self.visited.lazy.filter { $0.placed == wanted }.map(\.state)
    }

    /// Searches; to be called once.
    ///
    /// - Returns: What came out.
    /// - Complexity: Exponential in the number of operations whose order is open; O(`limit` · the number of operations)
    ///   in any case, in steps of the model.
    mutating func run() -> Verdict {
        while self.unplacedReturns > 0 {
            if self.searched >= self.limit { return .undecided }
            if self.events.isCall(self.cursor) {
                self.consider(self.events.operation(of: self.cursor))
            } else if !self.triesPending, self.unplacedPending > 0 {
                self.triesPending = true
                self.cursor = self.events.next(after: EventList.end)
            } else if !self.undo() {
                return .notLinearizable
            }
        }
        return .linearizable(order: self.places.map(\.operation))
    }

    // MARK: - Private helpers

    /// Gives an operation the next place if the model agrees, and goes on with the first event; otherwise goes on with
    /// the next.
    private mutating func consider(_ operation: Int) {
        let (entry, next) = (self.entries[operation], self.events.next(after: self.cursor))
        self.cursor = next
        guard (entry.result == nil) == self.triesPending else { return }
        var state = self.state
        let expected = self.model.step(entry.operation, on: &state)
        let fits = entry.result.map { self.model.accepts($0, expecting: expected, of: entry.operation) }
        if fits ?? (state != self.state) { self.place(operation, state: state) }
    }

    private mutating func place(_ operation: Int, state: Model.State) {
        self.placed.insert(operation)
        guard self.visited.insert(Configuration(placed: self.placed, state: state)).inserted else {
            self.placed.remove(operation)
            return
        }
        self.places.append(Place(operation: operation, stateBefore: self.state))
        self.state = state
        self.count(operation, by: -1)
        self.events.remove(operation)
        self.start(at: self.events.next(after: EventList.end), pending: false)
    }

    /// Takes back the last place, and goes on after its operation's call.
    ///
    /// - Returns: Whether there was one.
    private mutating func undo() -> Bool {
        guard let place = self.places.popLast() else { return false }
        self.placed.remove(place.operation)
        self.state = place.stateBefore
        self.count(place.operation, by: 1)
        self.events.restore(place.operation)
        let next = self.events.next(after: self.events.call(of: place.operation))
        self.start(at: next, pending: self.entries[place.operation].result == nil)
        return true
    }

    private mutating func start(at event: Int, pending: Bool) {
        self.cursor = event
        self.triesPending = pending
    }

    private mutating func count(_ operation: Int, by change: Int) {
        if self.entries[operation].result == nil {
            self.unplacedPending += change
        } else {
            self.unplacedReturns += change
        }
    }
}
