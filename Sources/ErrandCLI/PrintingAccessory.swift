internal import Errand
internal import Foundation

/// Prints the hooks of all activities, and checks that each ran once and in order.
actor PrintingAccessory: AsyncAccessory {
    /// The hooks, in order.
    private enum Hook: Int, CaseIterable {
        case willStart, didStart, willStop, didStop
    }

    private let console: Console
    private let printsChildren: Bool
    /// The number of hooks that ran for each activity that has not ended.
    private var open: [RequestID: Int] = [:]
    private var endedCount = 0
    private var misplacedCount = 0

    /// Creates an accessory, which can omit the requests of batches and chains.
    init(console: Console, printsChildren: Bool = true) {
        self.console = console
        self.printsChildren = printsChildren
    }

    // MARK: - Hooks

    func willStart(_ activity: RequestActivity) async {
        self.note(.willStart, activity)
        let target = activity.request.map { "  \($0.method) \($0.url.requestTarget)" } ?? ""
        await self.print(.willStart, activity, target)
    }

    func didStart(_ activity: RequestActivity) async {
        self.note(.didStart, activity)
        await self.print(.didStart, activity, "")
    }

    func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
        self.note(.willStop, activity)
        await self.print(.willStop, activity, "  " + Self.words(for: end))
    }

    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
        self.note(.didStop, activity)
        let milliseconds = end.timings.total / .milliseconds(1)
        await self.print(.didStop, activity, "  after \(String(format: "%.1f", milliseconds)) ms")
    }

    // MARK: - Tally

    /// Returns the tally since the last call: the number of ended activities, and whether all hooks ran once and in
    /// order.
    func takeTally() -> (ended: Int, isOrderly: Bool) {
        defer { (self.endedCount, self.misplacedCount) = (0, 0) }
        return (self.endedCount, self.misplacedCount == 0 && self.open.isEmpty)
    }

    private func note(_ hook: Hook, _ activity: RequestActivity) {
        if self.open[activity.id, default: 0] != hook.rawValue { self.misplacedCount += 1 }
        if hook == .didStop {
            self.open[activity.id] = nil
            self.endedCount += 1
        } else {
            self.open[activity.id] = hook.rawValue + 1
        }
    }

    // MARK: - Lines

    private func print(_ hook: Hook, _ activity: RequestActivity, _ rest: String) async {
        guard activity.parent == nil || self.printsChildren else { return }
        let indent = activity.position.map { "     [\($0)] " } ?? "   "
        let name = "\(activity.id) \(activity.name)".padding(toLength: 16, withPad: " ", startingAt: 0)
        let hook = rest.isEmpty ? "\(hook)" : "\(hook)".padding(toLength: 9, withPad: " ", startingAt: 0)
        await self.console.line(Terminal.oneLine("\(indent)\(name) \(hook)\(rest)"))
    }

    private static func words(for end: RequestActivity.End) -> String {
        switch end.result {
        case .finished, .cached:
            guard let head = end.head else { return "finished" }
            return "finished: \(head.status.code) \(head.status.reasonPhrase), \(end.bodySize ?? 0) bytes"
        case .failed(let error):
            return "failed: \(error.code)"
        }
    }
}
