/// Checks the outcome of a scene, prints the result, and counts failures.
actor DemoChecks {
    private let console: Console
    /// The number of failed checks so far.
    private(set) var wrongCount = 0

    init(console: Console) {
        self.console = console
    }

    /// Checks that something holds.
    func expect(_ isTrue: Bool, _ claim: String) async {
        await self.say(isTrue, claim, "")
    }

    /// Checks that two values are equal.
    func expect<Value: Equatable & Sendable>(_ actual: Value, equals expected: Value, _ claim: String) async {
        await self.say(actual == expected, claim, ", but \(actual) is not \(expected)")
    }

    /// Records that a scene could not be completed.
    func fail(_ reason: String) async {
        await self.say(false, reason, "")
    }

    private func say(_ isTrue: Bool, _ claim: String, _ objection: String) async {
        // The outcome of an interrupted scene is wrong without being a failure.
        guard !Task.isCancelled else { return }
        if isTrue {
            await self.console.line("   ok: \(Terminal.oneLine(claim))", .good)
        } else {
            self.wrongCount += 1
            await self.console.line("   WRONG: \(Terminal.oneLine(claim + objection))", .bad)
        }
    }
}
