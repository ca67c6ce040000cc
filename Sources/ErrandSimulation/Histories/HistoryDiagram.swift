/// Draws operations in plain text: a line for each, by client, with a bar from its call to its return.
///
/// ```
/// a  ├───┤     enqueue(1) → nil
/// b    ├─────┤ dequeue → 2  ◀
/// c      ├──── dequeue → ?
/// ```
struct HistoryDiagram<Operation: Sendable, Result: Sendable> {
    typealias Entry = History<Operation, Result>.Entry

    /// The largest number of operations that are drawn.
    private static var mostOperations: Int { 40 }

    private let entries: [Entry]
    private let hiddenCount: Int
    private let marked: Int?
    private let columns: [Int: Int]

    /// Creates a diagram.
    ///
    /// - Parameters:
    ///   - entries: The operations, in the order of their calls; if there are very many, the last are drawn.
    ///   - marked: The call time of the operation to mark.
    init(_ entries: [Entry], marked: Int?) {
        self.entries = Array(entries.suffix(Self.mostOperations))
        self.hiddenCount = entries.count - self.entries.count
        self.marked = marked
        let events = self.entries.flatMap { [$0.called] + (Self.isOpen($0) ? [] : [$0.ended ?? $0.called]) }.sorted()
        self.columns = Dictionary(uniqueKeysWithValues: events.enumerated().map { ($1, $0) })
    }

    /// The lines.
    var lines: [String] {
        let width = self.entries.map(\.client.count).max() ?? 0
        let hidden = self.hiddenCount > 0 ? ["… \(self.hiddenCount) operations before"] : []
        let lines = self.byClient.map { entry in
            let client = entry.client + String(repeating: " ", count: width - entry.client.count)
            let text = "\(ValueText.text(entry.operation)) → \(Self.outcome(of: entry))"
            return "\(client)  \(self.bar(of: entry)) \(text)" + (entry.called == self.marked ? "  ◀" : "")
        }
        return hidden + lines
    }

    // MARK: - Private helpers

    /// The entries grouped by client, the clients in the order of their first operations.
    private var byClient: [Entry] {
        var clients: [String] = []
        for entry in self.entries where !clients.contains(entry.client) { clients.append(entry.client) }
        return clients.flatMap { client in self.entries.filter { $0.client == client } }
    }

    /// Two characters for each event, so that adjacent bars do not touch.
    private func bar(of entry: Entry) -> String {
        let last = self.columns.count
        let start = self.columns[entry.called] ?? 0
        let end = Self.isOpen(entry) ? last : self.columns[entry.ended ?? -1] ?? last
        let line = String(repeating: "──", count: max(end - start - 1, 0))
        let bar = Self.isOpen(entry) ? "├─\(line)" : "├─\(line)┤"
        let padding = 2 * last - 2 * start - bar.count
        return String(repeating: " ", count: 2 * start) + bar + String(repeating: " ", count: max(padding, 0))
    }

    private static func isOpen(_ entry: Entry) -> Bool {
        if case .returned = entry.outcome { return false }
        return true
    }

    private static func outcome(of entry: Entry) -> String {
        switch entry.outcome {
        case .returned(let result): ValueText.text(result)
        case .failed(let error): "? (threw \(ValueText.text(error)))"
        case .pending: "?"
        }
    }
}
