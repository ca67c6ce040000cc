import TestEffort
import Testing

/// A small generator whose whole state is its seed: the same seed gives the same walk.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to a bound, without it.
    mutating func below(_ bound: Int) -> Int {
        Int(self.next() % UInt64(bound))
    }

    mutating func chance(_ percent: Int) -> Bool {
        self.below(100) < percent
    }
}

// MARK: - Walks

/// Tests that take seconds of pure work.
///
/// They run one after another, so that the others keep a thread.
@Suite("Long tests of the machines", .serialized, .timeLimit(.minutes(60)), .paced)
enum LongTests {}

/// An invariant that did not hold.
struct Violation: Error, CustomStringConvertible {
    let description: String
}

func hold(_ condition: Bool, _ message: @autoclosure () -> String) throws(Violation) {
    guard condition else { throw Violation(description: message()) }
}

/// Runs a walk for many seeds; the first seed whose walk breaks an invariant is reported.
///
/// A walk answers words for what it came across. Each word that is expected must have been answered at least once, so
/// that a walk which never gets anywhere does not pass.
func overSeeds(
    _ seeds: Range<UInt64> = TestEffort.schedules, reaching expected: Set<String>,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ walk: (inout SplitMix64) throws -> Set<String>
) async {
    var reached = Set<String>()
    for seed in seeds {
        // Lets other tests have the thread between two walks.
        await Task.yield()
        var random = SplitMix64(seed: seed)
        do {
            reached.formUnion(try walk(&random))
        } catch {
            Issue.record("seed \(seed): \(error)", sourceLocation: sourceLocation)
            return
        }
    }
    #expect(expected.subtracting(reached).isEmpty, "no walk got there", sourceLocation: sourceLocation)
}

// MARK: - Tables

/// What a machine must answer to an event, and the state it must be in then; no state means that it stays.
struct Cell<Answer: Equatable, State> {
    let answer: Answer
    let target: State?

    static func go(_ answer: Answer, _ target: State) -> Self { Self(answer: answer, target: target) }

    static func stay(_ answer: Answer) -> Self { Self(answer: answer, target: nil) }
}

/// A machine with every state it can be in, every event it can be told, and what must come of each pair.
protocol MachineTable {
    associatedtype State: Hashable
    associatedtype Event: CaseIterable, Hashable
    associatedtype Answer: Equatable
    associatedtype View: Equatable

    /// Events that bring a fresh machine into a state.
    static func path(to state: State) -> [Event]

    /// What can be seen of a machine in a state.
    static func view(of state: State) -> View

    /// What each event must lead to; one that is missing is a failure.
    static func row(_ state: State) -> [Event: Cell<Answer, State>]

    /// Tells a fresh machine of events, and answers what it said and what it shows.
    static func replay(_ events: [Event]) -> (answers: [Answer], view: View)
}

extension MachineTable {
    /// Compares one event in one state with the table.
    ///
    /// That the machine is then in the state which the table names shows in what it answers to each event after that.
    static func check(_ event: Event, in state: State, sourceLocation: SourceLocation = #_sourceLocation) {
        let path = self.path(to: state)
        #expect(self.replay(path).view == self.view(of: state), "the path", sourceLocation: sourceLocation)
        guard let cell = self.row(state)[event] else {
            Issue.record("\(event) in \(state) is not in the table", sourceLocation: sourceLocation)
            return
        }
        let found = self.replay(path + [event])
        let target = cell.target ?? state
        #expect(found.answers.last == cell.answer, sourceLocation: sourceLocation)
        #expect(found.view == self.view(of: target), sourceLocation: sourceLocation)
        for probe in Event.allCases {
            let after = self.replay(path + [event, probe])
            let expected = self.replay(self.path(to: target) + [probe])
            #expect(
                after.answers.last == expected.answers.last && after.view == expected.view,
                "\(event) does not lead to \(target): \(probe) tells them apart", sourceLocation: sourceLocation)
        }
    }
}
