import ErrandSimulation
import TestEffort
import Testing

/// Histories from the literature, and small ones that show one rule each.
@Suite("Known histories", .timeLimit(.minutes(60)), .paced)
struct KnownHistoriesTests {
    typealias Queue = Timeline<QueueModel<String>.Operation, String?>
    typealias Register = Timeline<RegisterModel<Int>.Operation, Int?>

    struct QueueCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isLinearizable: Bool
        let events: @Sendable () -> [Queue.Event]
    }

    struct RegisterCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isLinearizable: Bool
        let events: @Sendable () -> [Register.Event]
    }

    /// The four histories of figure 1 in Herlihy and Wing (1990), and more of queues.
    static let queues = [
        QueueCase(testDescription: "H1: the second enqueue overtakes the first", isLinearizable: true) {
            [
                .call("A", .enqueue("x")), .call("B", .enqueue("y")), .end("B", nil), .end("A", nil),
                .call("B", .dequeue), .end("B", "x"), .call("A", .dequeue), .end("A", "y"), .call("A", .enqueue("z")),
            ]
        },
        QueueCase(testDescription: "H2: x was in the queue before y was put in", isLinearizable: false) {
            [
                .call("A", .enqueue("x")), .end("A", nil), .call("B", .enqueue("y")), .call("A", .dequeue),
                .end("B", nil), .end("A", "y"),
            ]
        },
        QueueCase(testDescription: "H3: an element is taken while it is put in", isLinearizable: true) {
            [.call("A", .enqueue("x")), .call("B", .dequeue), .end("B", "x")]
        },
        QueueCase(testDescription: "H4: an element is taken twice", isLinearizable: false) {
            [
                .call("A", .enqueue("x")), .call("B", .enqueue("y")), .end("A", nil), .end("B", nil),
                .call("A", .dequeue), .call("C", .dequeue), .end("A", "y"), .end("C", "y"),
            ]
        },
        QueueCase(testDescription: "Enqueues at once may be in either order", isLinearizable: true) {
            [
                .call("A", .enqueue("x")), .call("B", .enqueue("y")), .end("A", nil), .end("B", nil),
                .call("A", .dequeue), .end("A", "y"), .call("A", .dequeue), .end("A", "x"),
            ]
        },
        QueueCase(testDescription: "Empty after an enqueue that has returned", isLinearizable: false) {
            [.call("A", .enqueue("x")), .end("A", nil), .call("B", .dequeue), .end("B", nil)]
        },
        QueueCase(testDescription: "A dequeue that failed may have taken the element", isLinearizable: true) {
            [
                .call("A", .enqueue("x")), .end("A", nil), .call("B", .dequeue), .fail("B"),
                .call("A", .dequeue), .end("A", nil),
            ]
        },
        QueueCase(testDescription: "A dequeue that failed takes one element at most", isLinearizable: false) {
            [
                .call("A", .enqueue("x")), .end("A", nil), .call("A", .enqueue("y")), .end("A", nil),
                .call("B", .dequeue), .fail("B"), .call("A", .dequeue), .end("A", nil),
            ]
        },
        QueueCase(testDescription: "Nothing", isLinearizable: true) { [] },
    ]

    static let registers = [
        RegisterCase(testDescription: "Reads during a write may see both values", isLinearizable: true) {
            [
                .call("A", .write(1)), .call("B", .read), .end("B", 0), .call("C", .read), .end("C", 1),
                .call("B", .read), .end("B", 1), .end("A", nil),
            ]
        },
        RegisterCase(testDescription: "A new value, and then the old one", isLinearizable: false) {
            [
                .call("A", .write(1)), .call("B", .read), .end("B", 1), .call("C", .read), .end("C", 0),
                .end("A", nil),
            ]
        },
        RegisterCase(testDescription: "Reads at once may see the values in either order", isLinearizable: true) {
            [
                .call("A", .write(1)), .call("B", .read), .call("C", .read), .end("B", 1), .end("C", 0),
                .end("A", nil),
            ]
        },
        RegisterCase(testDescription: "The old value after the write has returned", isLinearizable: false) {
            [.call("A", .write(1)), .end("A", nil), .call("B", .read), .end("B", 0)]
        },
        RegisterCase(testDescription: "A write that failed takes effect late", isLinearizable: true) {
            [
                .call("A", .write(1)), .fail("A"), .call("B", .read), .end("B", 0), .call("B", .write(2)),
                .end("B", nil), .call("B", .read), .end("B", 2), .call("B", .read), .end("B", 1),
            ]
        },
        RegisterCase(testDescription: "A write that failed takes effect once", isLinearizable: false) {
            [
                .call("A", .write(1)), .fail("A"), .call("B", .read), .end("B", 1), .call("B", .write(2)),
                .end("B", nil), .call("B", .read), .end("B", 1),
            ]
        },
        RegisterCase(testDescription: "A write that never returned never took effect", isLinearizable: true) {
            [.call("A", .write(1)), .call("B", .read), .end("B", 0), .call("B", .read), .end("B", 0)]
        },
        RegisterCase(testDescription: "An operation cannot take effect before its call", isLinearizable: false) {
            [.call("B", .read), .end("B", 1), .call("A", .write(1)), .end("A", nil)]
        },
        RegisterCase(testDescription: "Two writers, two readers who disagree on the order", isLinearizable: false) {
            [
                .call("A", .write(1)), .call("B", .write(2)), .end("A", nil), .end("B", nil),
                .call("C", .read), .end("C", 1), .call("D", .read), .end("D", 2),
            ]
        },
        RegisterCase(testDescription: "Of two swaps at once both succeed", isLinearizable: false) {
            [
                .call("A", .compareAndSwap(expected: 0, desired: 1)),
                .call("B", .compareAndSwap(expected: 0, desired: 2)),
                .end("A", 0), .end("B", 0),
            ]
        },
        RegisterCase(testDescription: "Of two swaps at once one succeeds", isLinearizable: true) {
            [
                .call("A", .compareAndSwap(expected: 0, desired: 1)),
                .call("B", .compareAndSwap(expected: 0, desired: 2)),
                .end("A", 2), .end("B", 0),
            ]
        },
    ]

    @Test("Queues", arguments: queues)
    func queue(_ known: QueueCase) {
        let verdict = Queue.history(known.events()).linearizability(model: QueueModel())
        #expect(verdict.isLinearizable == known.isLinearizable)
    }

    @Test("Registers", arguments: registers)
    func register(_ known: RegisterCase) {
        let verdict = Register.history(known.events()).linearizability(model: RegisterModel(initialValue: 0))
        #expect(verdict.isLinearizable == known.isLinearizable)
    }

    @Test("A ticket that two clients get is found")
    func counter() throws {
        typealias Counter = Timeline<CounterModel.Operation, Int?>
        let events: (Int) -> [Counter.Event] = {
            [
                .call("A", .addAndRead(1)), .call("B", .addAndRead(1)), .end("A", 1), .end("B", $0),
                .call("A", .add(3)),
                .end("A", nil), .call("A", .readAndAdd(1)), .end("A", $0 + 3), .call("B", .read), .end("B", $0 + 4),
            ]
        }
        try Counter.history(events(2)).checkLinearizable(model: CounterModel())
        #expect(throws: NotLinearizable.self) {
            try Counter.history(events(1)).checkLinearizable(model: CounterModel())
        }
    }

    @Test("A cache may miss, but must not return what was replaced; a dictionary must not miss either")
    func cache() {
        typealias Cache = Timeline<CacheModel<String, Int>.Operation, Int?>
        typealias Dictionary = Timeline<DictionaryModel<String, Int>.Operation, Int?>
        for (found, isCache, isDictionary) in [(2, true, true), (nil, true, false), (1, false, false)] {
            let cache = Cache.history([
                .call("A", .set("k", 1)), .end("A", nil), .call("A", .set("k", 2)), .end("A", nil),
                .call("B", .get("k")), .end("B", found),
            ])
            #expect(cache.linearizability(model: CacheModel()).isLinearizable == isCache)
            let dictionary = Dictionary.history([
                .call("A", .set("k", 1)), .end("A", nil), .call("A", .set("k", 2)), .end("A", nil),
                .call("B", .get("k")), .end("B", found),
            ])
            #expect(dictionary.linearizability(model: DictionaryModel()).isLinearizable == isDictionary)
        }
    }
}
