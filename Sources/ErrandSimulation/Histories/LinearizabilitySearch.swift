/// Searches for an order of operations that a model explains: the algorithm of Wing and Gong (1993), memoized (Lowe,
/// 2017).
///
/// It tries the orders depth first. An operation can be next if no other unplaced operation returned before it was
/// called; it is placed if the model returns the recorded result in the current state. At a dead end, the search
/// backtracks. Each configuration, which is the set of placed operations and the state after them, is entered once.
///
/// Operations that did not return are tried after those that did, and need not be placed; one that would not change the
/// state is not placed there.
struct LinearizabilitySearch<Model: LinearizableModel> {
    typealias Entry = History<Model.Operation, Model.Result>.Entry

    /// The verdict of a search.
    enum Verdict {
        /// The order of the placed entries, as indices into the searched history.
        case linearizable(order: [Int])
        /// There is no order.
        case notLinearizable
        /// The limit on configurations was reached.
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
    /// The event that is considered.
    private var cursor: Int
    /// True while the operations that did not return are tried.
    private var triesPending = false

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - entries: The operations, in the order of their calls.
    ///   - model: The specification that they must obey.
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

    /// Returns the states that the search has reached after exactly the given operations.
    ///
    /// After a search that found no order, these are all states to which any order of them leads.
    func states(after operations: some Sequence<Int>) -> [Model.State] {
        var wanted = OperationSet(capacity: self.entries.count)
        for operation in operations { wanted.insert(operation) }
        return self.visited.lazy.filter { $0.placed == wanted }.map(\.state)
    }

    /// Runs the search; call it only once.
    ///
    /// - Returns: The verdict.
    /// - Complexity: Exponential in the number of operations whose order is open; at most O(`limit` · *n*) steps of the
    ///   model for *n* operations.
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

    /// Places an operation if the model agrees, and restarts at the first event; otherwise moves to the next event.
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

    /// Removes the last placed operation, and continues after its call.
    ///
    /// - Returns: `false` if no operation is placed.
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
