import Testing

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
