/// Finds the shortest part of a history that is not linearizable, and describes it.
struct LinearizabilityExplainer<Model: LinearizableModel> {
    private typealias Search = LinearizabilitySearch<Model>
    typealias Entry = History<Model.Operation, Model.Result>.Entry

    /// The limits on the states and on the operations of an order that are printed.
    private static var mostStates: Int { 3 }
    private static var mostOperations: Int { 20 }

    private let model: Model
    private let entries: [Entry]
    private let limit: Int

    /// Creates an explainer.
    ///
    /// - Parameters:
    ///   - entries: A history that is not linearizable, in the order of its calls.
    ///   - model: The model that it violates.
    ///   - limit: The largest number of configurations for one search.
    init(_ entries: [Entry], model: Model, limit: Int) {
        self.model = model
        self.entries = entries
        self.limit = limit
    }

    /// The error that explains the violation.
    ///
    /// - Complexity: O(log *n*) searches of parts of the history, of *n* operations.
    var error: NotLinearizable {
        let end = self.firstImpossibleReturn
        let entries = self.prefix(upTo: end)
        let index = entries.firstIndex { $0.result != nil && $0.ended == end } ?? 0
        let (culprit, quiet) = (entries[index], self.quietCount(in: entries))
        return NotLinearizable(
            operation: ValueText.text(culprit.operation), client: culprit.client,
            result: culprit.result.map { ValueText.text($0) } ?? "?",
            history: HistoryDiagram(Array(entries[quiet...]), marked: culprit.called).lines,
            before: Self.text(ofBefore: quiet, self.states(after: quiet, of: entries)),
            explanation: self.explanation(of: index, in: entries, from: quiet))
    }

    // MARK: - The part to show

    /// The first return with which the history is no longer linearizable.
    ///
    /// Every prefix of a linearizable history is linearizable, so bisection finds it.
    private var firstImpossibleReturn: Int {
        let ends = self.entries.filter { $0.result != nil }.compactMap(\.ended).sorted()
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self.isRefuted(self.prefix(upTo: ends[middle])) { high = middle } else { low = middle + 1 }
        }
        return ends[high]
    }

    private func isRefuted(_ entries: [Entry]) -> Bool {
        var search = Search(entries, model: self.model, limit: self.limit)
        guard case .notLinearizable = search.run() else { return false }
        return true
    }

    /// The history as it was just after an event.
    private func prefix(upTo event: Int) -> [Entry] {
        self.entries.prefix { $0.called < event }.map { entry in
            guard let ended = entry.ended, ended > event else { return entry }
            var open = entry
            (open.ended, open.outcome) = (nil, .pending)
            return open
        }
    }

    /// The largest number of leading operations, less than all, that had all returned before any other was called.
    private func quietCount(in entries: [Entry]) -> Int {
        var (count, latestReturn) = (0, -1)
        for (index, entry) in entries.enumerated() {
            if latestReturn < entry.called { count = index }
            guard entry.result != nil, let ended = entry.ended else { break }
            latestReturn = max(latestReturn, ended)
        }
        return count
    }

    /// The states to which the first operations can lead, as text.
    private func states(after quiet: Int, of entries: [Entry]) -> [String] {
        guard quiet > 0 else { return [ValueText.text(self.model.initialState)] }
        var search = Search(entries, model: self.model, limit: self.limit)
        _ = search.run()
        return search.states(after: 0..<quiet).map { ValueText.text($0) }.sorted()
    }

    // MARK: - Text

    /// Describes an order that explains everything but the impossible return, and the result of the model there.
    private func explanation(of culprit: Int, in entries: [Entry], from quiet: Int) -> [String] {
        var others = entries
        (others[culprit].ended, others[culprit].outcome) = (nil, .pending)
        var search = Search(others, model: self.model, limit: self.limit)
        guard case .linearizable(var order) = search.run() else { return [] }
        if !order.contains(culprit) { order.append(culprit) }
        var (state, texts, expected) = (self.model.initialState, [String](), "")
        for index in order {
            let result = ValueText.text(self.model.step(entries[index].operation, on: &state))
            if index == culprit { expected = result }
            if index >= quiet { texts.append("\(ValueText.text(entries[index].operation)) → \(result)") }
        }
        let hidden = texts.count > Self.mostOperations ? "…, " : ""
        let shown = texts.suffix(Self.mostOperations).joined(separator: ", ")
        return ["It would return \(expected) in the order \(hidden)\(shown)."]
    }

    private static func text(ofBefore quiet: Int, _ states: [String]) -> String {
        let shown = states.prefix(Self.mostStates).joined(separator: " or ")
        let text = shown + (states.count > Self.mostStates ? " or …" : "")
        let first = quiet == 1 ? "operation" : "\(quiet) operations"
        let before = quiet == 0 ? "At first" : "After the first \(first)"
        return "\(before) the state is \(text):"
    }
}
