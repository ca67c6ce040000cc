import ErrandSimulation
import TestEffort
import Testing

/// Histories of other checkers' tests, and the text form in which they are read.
@Suite("Public histories", .timeLimit(.minutes(60)), .paced)
struct PublicHistoriesTests {
    @Test(
        "Registers of etcd have the verdicts of Porcupine",
        arguments: zip(
            ["etcd-000", "etcd-001", "etcd-002", "etcd-003", "etcd-005", "etcd-007"],
            [false, false, true, false, true, true]))
    func etcd(name: String, isLinearizable: Bool) throws {
        let history = try EtcdRegister.history(try PublicHistories.text(name))
        #expect(history.entries.count > 60)
        #expect(history.linearizability(model: EtcdRegister()).isLinearizable == isLinearizable)
    }

    @Test(
        "Stores of texts have the verdicts of Porcupine",
        arguments: zip(
            ["kv-c01-ok", "kv-c01-bad", "kv-c10-ok", "kv-c10-bad", "kv-c50-ok-key5", "kv-c50-bad-key3"],
            [true, false, true, false, true, false]))
    func store(name: String, isLinearizable: Bool) throws {
        let history = try AppendingStore.history(try PublicHistories.text(name))
        #expect(history.linearizability(model: AppendingStore()).isLinearizable == isLinearizable)
    }

    @Test("A hard part does not keep an easy one from deciding, and the limit is for both")
    func hardPart() throws {
        let (hard, easy) = (try PublicHistories.text("kv-c50-bad-key9"), try PublicHistories.text("kv-c50-bad-key3"))
        let model = AppendingStore()
        let both = try AppendingStore.history(hard + easy).linearizability(model: model, limit: 20_000)
        #expect(both.isLinearizable == false)
        guard case .undecided(let count) = try AppendingStore.history(hard).linearizability(model: model, limit: 2_000)
        else { throw PlantedError() }
        #expect(count == 2_000)
        let good = try PublicHistories.text("kv-c50-ok-key5")
        guard
            case .undecided(let both) = try AppendingStore.history(hard + good).linearizability(
                model: model, limit: 900)
        else { throw PlantedError() }
        #expect(both <= 900)
    }

    // MARK: - The text form

    private static func read(_ text: String, limit: Int = 100) throws(HistoryTextError) -> History<Int, Int> {
        try History(
            parsing: text, limit: limit, operation: { name, value in name == "add" ? value.flatMap { Int($0) } : nil },
            result: { _, value in value.flatMap { Int($0) } },
            failure: { _, value in value.flatMap { Int($0) } })
    }

    @Test("Lines become operations in the order of their calls")
    func lines() throws {
        let history = try Self.read(
            """
            # process, type, operation, value
            ann  invoke\tadd  1

            bob invoke add 2
            bob ok add 20
              ann ok add 10
            cid invoke add 3
            dan invoke add 4
            dan info add no reply
            dan invoke add 5
            dan fail add 50
            """)
        #expect(history.entries.map(\.operation) == [1, 2, 3, 4, 5])
        #expect(history.entries.map(\.client) == ["ann", "bob", "cid", "dan", "dan"])
        #expect(history.entries.map(\.called) == [0, 1, 4, 5, 7])
        #expect(history.entries.map(\.ended) == [3, 2, nil, 6, 8])
        let outcomes = history.entries.map { "\($0.outcome)" }
        #expect(outcomes == ["returned(10)", "returned(20)", "pending", "failed(\"no reply\")", "returned(50)"])
    }

    @Test("An operation that failed without a result is left out, and an empty text is an empty history")
    func leftOut() throws {
        #expect(
            try Self.read("a invoke add 1\na fail add\na invoke add 2\r\na ok add 3").entries.map(\.operation) == [2])
        #expect(try Self.read("").entries.isEmpty)
        #expect(try Self.read("\n# nothing\n\n").entries.isEmpty)
    }

    @Test(
        "A line that is not valid is an error with its number",
        arguments: [
            ("a invoke add 1\na ok", 2, "lacks"), ("a", 1, "lacks"),
            ("a invoke add 1\n\n# b\na begin add 1", 4, "`begin` is none of the types invoke, ok, fail, info"),
            ("a invoke sub 1", 1, "`sub` with `1` is not an operation"),
            ("a invoke add", 1, "`add` with no value is not an operation"),
            ("a invoke add 1\na ok add x", 2, "`x` is not a result of `add`"),
            ("a invoke add 1\na ok sub 1", 2, "it ends `sub`, but line 1 invoked `add`"),
            ("a invoke add 1\nb ok add 1", 2, "process b has no operation to end"),
            ("a invoke add 1\na invoke add 2", 2, "process a has not ended the operation of line 1"),
            ("a invoke add 1\na ok add 2\na ok add 2", 3, "process a has no operation to end"),
        ])
    func invalid(text: String, line: Int, message: String) throws {
        let error = try #require(throws: HistoryTextError.self) { _ = try Self.read(text) }
        #expect(error.line == line)
        #expect(error.message.contains(message), "\(error)")
        #expect("\(error)".hasPrefix("line \(line): "))
    }

    @Test("Too many operations, and a line that is too long, are errors")
    func bounded() throws {
        let two = "a invoke add 1\nb invoke add 2"
        #expect(try Self.read(two, limit: 2).entries.count == 2)
        #expect(throws: HistoryTextError.self) { try Self.read(two, limit: 1) }
        let long = "a invoke add 1" + String(repeating: " ", count: 1 << 20)
        #expect(throws: HistoryTextError.self) { try Self.read(long) }
    }
}
