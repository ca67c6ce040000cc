internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: the allow list (G11)", .timeLimit(.minutes(60)), .paced)
struct AllowListTests {
    private let entry = "rule: semaphore\nfile: Sources/A/A.swift\nin: A.gate\nreason: Only a thread of its own waits."

    private func finding(_ rule: Rule = .semaphore, _ declaration: String = "A.gate", line: Int = 1) -> Finding {
        Finding(
            rule: rule, file: "Sources/A/A.swift", line: line, column: 1, declaration: declaration, source: "x",
            note: nil)
    }

    private func problems(_ text: String) -> [String] {
        AllowList(parsing: text).problems.map { "\($0.line): \($0.message)" }
    }

    // MARK: - What is understood

    @Test func `has entries with reasons of many lines, and comments`() throws {
        let list = AllowList(
            parsing: """
                # What we live with.

                rule: semaphore
                # A comment inside.
                file: ./Sources/A B/A.swift
                in: A.`two words: here`
                count: 2
                reason: Only the driver waits,
                    on a queue: no thread
                \tof the pool.


                \(self.entry)
                """)
        #expect(list.problems.isEmpty)
        #expect(list.entries.map(\.line) == [3, 13])
        let entry = try #require(list.entries.first)
        #expect(entry.place == Place(rule: .semaphore, file: "Sources/A B/A.swift", declaration: "A.`two words: here`"))
        #expect(entry.count == 2)
        #expect(entry.reason == "Only the driver waits, on a queue: no thread of the pool.")
    }

    @Test func `reads lines of other systems`() {
        let list = AllowList(parsing: self.entry.replacing("\n", with: "\r\n") + "\r\n")
        #expect(list.problems.isEmpty && list.entries.count == 1)
    }

    @Test(arguments: ["", "\n\n", "# nothing\n", "   \n\t"])
    func `may be empty`(text: String) {
        let list = AllowList(parsing: text)
        #expect(list.entries.isEmpty && list.problems.isEmpty)
    }

    // MARK: - What is not

    @Test(arguments: [
        ("reason: because", "", "this entry has no reason: write why semaphore is no race here"),
        ("because", "reason:", "this entry has no reason: write why semaphore is no race here"),
        ("because", "reason: TODO", "this entry has no reason: write why semaphore is no race here"),
        ("because", "reason: ???", "this entry has no reason: write why semaphore is no race here"),
        ("rule: semaphore", "", "this entry has no \"rule\""),
        ("file: a", "", "this entry has no \"file\""),
        ("in: A", "", "this entry has no \"in\""),
        ("in: A", "in:", "\"in\" has no value"),
        ("in: A", "in: A\nin: B", "\"in\" is here twice; is an empty line missing between two entries?"),
        ("in: A", "in: A\nwhere: B", "there is no key \"where\", only rule, file, in, count, reason"),
        ("in: A", "in: A\nnonsense", "\"nonsense\" is not a key, a colon and a value"),
        ("in: A", "in: A\ncount: 0", "the count has to be a whole number from 1, not \"0\""),
        (
            "in: A", "in: A\ncount: 99999999999999999999",
            "the count has to be a whole number from 1, not \"99999999999999999999\""
        ),
    ])
    func `says what it cannot use`(_ old: String, _ new: String, _ message: String) {
        let entry = "rule: semaphore\nfile: a\nin: A\nreason: because"
        let text = entry.replacing(old == "because" ? "reason: because" : old, with: new)
            .split(separator: "\n").joined(separator: "\n")
        let problems = AllowList(parsing: text).problems
        #expect(problems.map(\.message) == [message])
        #expect(problems.allSatisfy { $0.kind == .malformed && (1...5).contains($0.line) })
    }

    @Test func `names the rules there are`() {
        #expect(
            self.problems(self.entry.replacing("semaphore", with: "semafor")) == [
                "1: there is no rule \"semafor\", only unchecked-sendable, nonisolated-unsafe, preconcurrency,"
                    + " unsafe-continuation, detached-task, semaphore, lock-across-await, resume-under-lock,"
                    + " near-miss"
            ])
    }

    @Test func `refuses two entries about the same, and keeps what is right`() {
        let list = AllowList(
            parsing: "\(self.entry)\n\n\(self.entry)\n\nnonsense\n\n" + self.entry.replacing("A.gate", with: "B"))
        #expect(list.problems.map(\.line) == [6, 11, 11, 11, 11])
        #expect(list.entries.map(\.place.declaration) == ["A.gate", "B"])
    }

    @Test func `drafts entries that are refused until someone writes the reason`() {
        let draft = AllowEntry.draft(for: self.finding().place, count: 3)
        let list = AllowList(parsing: draft)
        #expect(list.problems.map(\.message) == ["this entry has no reason: write why semaphore is no race here"])
        #expect(list.entries.map(\.place) == [self.finding().place])
        #expect(list.entries.map(\.count) == [3])
        #expect(AllowList(parsing: "\(draft)    It is none.").problems.isEmpty)
    }

    // MARK: - Judging

    @Test func `lets be what it names, wherever the lines have gone`() {
        let verdict = AllowList(parsing: self.entry).verdict(on: [self.finding(line: 900)]) { _ in true }
        #expect(verdict.new.isEmpty && verdict.stale.isEmpty)
        #expect(verdict.allowed == 1)
    }

    @Test func `lets nothing else be`() {
        let findings = [self.finding(.detachedTask), self.finding(.semaphore, "A"), self.finding()]
        let verdict = AllowList(parsing: self.entry).verdict(on: findings) { _ in true }
        #expect(verdict.new == Array(findings.prefix(2)))
        #expect(verdict.allowed == 1)
    }

    @Test func `shows all of a place where one is new`() {
        let findings = [self.finding(line: 1), self.finding(line: 2)]
        let list = AllowList(parsing: self.entry)
        #expect(list.verdict(on: findings) { _ in true }.new == findings)
        #expect(list.count(for: findings[0].place) == 1)
    }

    @Test func `says which entries are stale`() {
        let list = AllowList(parsing: "\(self.entry)\ncount: 2")
        let messages = [[], [self.finding()], [self.finding(), self.finding()]].map { findings in
            list.verdict(on: findings) { _ in true }.stale.map(\.message)
        }
        #expect(
            messages == [
                ["there is no such finding any more: semaphore in A.gate of Sources/A/A.swift; remove the entry"],
                ["the entry allows 2, and there is 1: semaphore in A.gate of Sources/A/A.swift"],
                [],
            ])
    }

    @Test func `calls nothing stale that was not looked at`() {
        #expect(AllowList(parsing: self.entry).verdict(on: []) { _ in false }.stale.isEmpty)
    }
}
