import ErrandMachines
import TestEffort
import Testing

@Suite("G1, G6: a request answers every event in every state as written here", .timeLimit(.minutes(60)), .paced)
struct RequestMachineTableTests {
    @Test("Each event in each state", arguments: Table.State.allCases, Table.Event.allCases)
    func eventInState(_ state: Table.State, _ event: Table.Event) {
        Table.check(event, in: state)
    }

    enum Table: MachineTable {
        enum State: CaseIterable {
            case idle, starting, startingCancelled, running, runningCancelled, showing, showingCancelled
            case endingFinished, endingCached, endingFailed, endingCancelled
            case endingFinishedShowing, endingCachedShowing, endingFailedShowing, endingCancelledShowing
            case ended, endedCached, endedFailed, endedCancelled
        }

        enum Event: CaseIterable {
            case start, refused, entered, cancel, showedCached, refreshing
            case finished, cached, failed, cancelled, stopped
        }

        enum Answer: Equatable {
            case begin, join, settle, stopRun, none
            case show(RequestMachine.Phase)
            case stop
            case stopAsCancelled
            case end(RequestMachine.Conclusion)
        }

        struct View: Equatable {
            let phase: RequestMachine.Phase
            var conclusion: RequestMachine.Conclusion?
            var canStart = false
        }

        typealias Row = [Event: Cell<Answer, State>]
    }
}

// MARK: - The table

extension RequestMachineTableTests.Table {
    static func row(_ state: State) -> Row {
        switch state {
        case .idle:
            [
                .start: .go(.begin, .starting), .refused: .go(.settle, .endedFailed), .entered: .stay(.none),
                .cancel: .go(.settle, .endedCancelled), .showedCached: .stay(.none), .refreshing: .stay(.none),
                .finished: .stay(.none), .cached: .stay(.none), .failed: .stay(.none), .cancelled: .stay(.none),
                .stopped: .stay(.none),
            ]
        case .starting:
            [
                .start: .stay(.join), .refused: .stay(.none), .entered: .go(.show(.running), .running),
                .cancel: .go(.stopRun, .startingCancelled), .showedCached: .stay(.none), .refreshing: .stay(.none),
                .finished: .stay(.none), .cached: .stay(.none), .failed: .stay(.none), .cancelled: .stay(.none),
                .stopped: .stay(.none),
            ]
        case .startingCancelled:
            [
                .start: .stay(.join), .refused: .stay(.none), .entered: .go(.show(.running), .runningCancelled),
                .cancel: .stay(.none), .showedCached: .stay(.none), .refreshing: .stay(.none),
                .finished: .stay(.none), .cached: .stay(.none), .failed: .stay(.none), .cancelled: .stay(.none),
                .stopped: .stay(.none),
            ]
        case .running:
            [
                .start: .stay(.join), .refused: .stay(.none), .entered: .stay(.none),
                .cancel: .go(.stopRun, .runningCancelled), .showedCached: .go(.show(.cached), .showing),
                .refreshing: .stay(.none), .finished: .go(.stop, .endingFinished),
                .cached: .go(.stop, .endingCached), .failed: .go(.stop, .endingFailed),
                .cancelled: .go(.stop, .endingCancelled), .stopped: .stay(.none),
            ]
        case .runningCancelled:
            [
                .start: .stay(.join), .refused: .stay(.none), .entered: .stay(.none), .cancel: .stay(.none),
                .showedCached: .stay(.none), .refreshing: .stay(.none),
                .finished: .go(.stopAsCancelled, .endingCancelled), .cached: .go(.stopAsCancelled, .endingCancelled),
                .failed: .go(.stopAsCancelled, .endingCancelled), .cancelled: .go(.stopAsCancelled, .endingCancelled),
                .stopped: .stay(.none),
            ]
        case .showing:
            [
                .start: .stay(.join), .refused: .stay(.none), .entered: .stay(.none),
                .cancel: .go(.stopRun, .showingCancelled), .showedCached: .stay(.none),
                .refreshing: .go(.show(.running), .running), .finished: .go(.stop, .endingFinishedShowing),
                .cached: .go(.stop, .endingCachedShowing), .failed: .go(.stop, .endingFailedShowing),
                .cancelled: .go(.stop, .endingCancelledShowing), .stopped: .stay(.none),
            ]
        case .showingCancelled:
            [
                .start: .stay(.join), .refused: .stay(.none), .entered: .stay(.none), .cancel: .stay(.none),
                .showedCached: .stay(.none), .refreshing: .go(.show(.running), .runningCancelled),
                .finished: .go(.stopAsCancelled, .endingCancelledShowing),
                .cached: .go(.stopAsCancelled, .endingCancelledShowing),
                .failed: .go(.stopAsCancelled, .endingCancelledShowing),
                .cancelled: .go(.stopAsCancelled, .endingCancelledShowing), .stopped: .stay(.none),
            ]
        case .endingFinished, .endingFinishedShowing: self.ending(.end(.finished), .ended)
        case .endingCached, .endingCachedShowing: self.ending(.end(.cached), .endedCached)
        case .endingFailed, .endingFailedShowing: self.ending(.end(.failed), .endedFailed)
        case .endingCancelled, .endingCancelledShowing: self.ending(.end(.cancelled), .endedCancelled)
        case .ended, .endedCached, .endedFailed, .endedCancelled:
            [
                .start: .stay(.join), .refused: .stay(.none), .entered: .stay(.none), .cancel: .stay(.none),
                .showedCached: .stay(.none), .refreshing: .stay(.none), .finished: .stay(.none),
                .cached: .stay(.none), .failed: .stay(.none), .cancelled: .stay(.none), .stopped: .stay(.none),
            ]
        }
    }

    private static func ending(_ answer: Answer, _ target: State) -> Row {
        [
            .start: .stay(.join), .refused: .stay(.none), .entered: .stay(.none), .cancel: .stay(.none),
            .showedCached: .stay(.none), .refreshing: .stay(.none), .finished: .stay(.none), .cached: .stay(.none),
            .failed: .stay(.none), .cancelled: .stay(.none), .stopped: .go(answer, target),
        ]
    }

    static func view(of state: State) -> View {
        switch state {
        case .idle: View(phase: .idle, canStart: true)
        case .starting, .startingCancelled: View(phase: .idle)
        case .running, .runningCancelled: View(phase: .running)
        case .endingFinished, .endingCached, .endingFailed, .endingCancelled: View(phase: .running)
        case .showing, .showingCancelled: View(phase: .cached)
        case .endingFinishedShowing, .endingCachedShowing, .endingFailedShowing, .endingCancelledShowing:
            View(phase: .cached)
        case .ended: View(phase: .finished, conclusion: .finished)
        case .endedCached: View(phase: .cached, conclusion: .cached)
        case .endedFailed: View(phase: .failed, conclusion: .failed)
        case .endedCancelled: View(phase: .failed, conclusion: .cancelled)
        }
    }
}

// MARK: - The machine

extension RequestMachineTableTests.Table {
    static func path(to state: State) -> [Event] {
        switch state {
        case .idle: []
        case .starting: [.start]
        case .startingCancelled: [.start, .cancel]
        case .running: [.start, .entered]
        case .runningCancelled: [.start, .entered, .cancel]
        case .showing: [.start, .entered, .showedCached]
        case .showingCancelled: [.start, .entered, .showedCached, .cancel]
        case .endingFinished: [.start, .entered, .finished]
        case .endingCached: [.start, .entered, .cached]
        case .endingFailed: [.start, .entered, .failed]
        case .endingCancelled: [.start, .entered, .cancelled]
        case .endingFinishedShowing: [.start, .entered, .showedCached, .finished]
        case .endingCachedShowing: [.start, .entered, .showedCached, .cached]
        case .endingFailedShowing: [.start, .entered, .showedCached, .failed]
        case .endingCancelledShowing: [.start, .entered, .showedCached, .cancelled]
        case .ended: [.start, .entered, .finished, .stopped]
        case .endedCached: [.start, .entered, .cached, .stopped]
        case .endedFailed: [.start, .entered, .failed, .stopped]
        case .endedCancelled: [.start, .entered, .cancelled, .stopped]
        }
    }

    static func replay(_ events: [Event]) -> (answers: [Answer], view: View) {
        var machine = RequestMachine()
        var answers: [Answer] = []
        for event in events { answers.append(self.tell(&machine, event)) }
        let view = View(phase: machine.phase, conclusion: machine.conclusion, canStart: machine.canStart)
        return (answers, view)
    }

    private static func tell(_ machine: inout RequestMachine, _ event: Event) -> Answer {
        switch event {
        case .start: machine.start() == .begin ? .begin : .join
        case .refused: machine.refused() == .settle ? .settle : .none
        case .entered: if case .publish(let phase) = machine.entered() { .show(phase) } else { .none }
        case .showedCached: if case .publish(let phase) = machine.showedCached() { .show(phase) } else { .none }
        case .refreshing: if case .publish(let phase) = machine.refreshing() { .show(phase) } else { .none }
        case .finished: self.conclude(&machine, .finished)
        case .cached: self.conclude(&machine, .cached)
        case .failed: self.conclude(&machine, .failed)
        case .cancelled: self.conclude(&machine, .cancelled)
        case .stopped: if case .publish(let conclusion) = machine.stopped() { .end(conclusion) } else { .none }
        case .cancel:
            switch machine.stop(.cancelled) {
            case .settle: .settle
            case .stopRun: .stopRun
            case .none: .none
            }
        }
    }

    private static func conclude(_ machine: inout RequestMachine, _ conclusion: RequestMachine.Conclusion) -> Answer {
        switch machine.concluded(conclusion) {
        case .end: .stop
        case .endAsStopped(let reason): reason == .cancelled ? .stopAsCancelled : .none
        case .none: .none
        }
    }
}
