/// Compares what came out of a scene with what should have, says so, and counts what is wrong.
actor DemoChecks {
    private let console: Console
    /// How many checks failed so far.
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

    /// Notes that a scene could not be played to its end.
    func fail(_ reason: String) async {
        await self.say(false, reason, "")
    }

    private func say(_ isTrue: Bool, _ claim: String, _ objection: String) async {
        // A scene that was broken off comes out wrong; that says nothing.
        guard !Task.isCancelled else { return }
        if isTrue {
            await self.console.line("   ok: \(Terminal.oneLine(claim))", .good)
        } else {
            self.wrongCount += 1
            await self.console.line("   WRONG: \(Terminal.oneLine(claim + objection))", .bad)
        }
    }
}
