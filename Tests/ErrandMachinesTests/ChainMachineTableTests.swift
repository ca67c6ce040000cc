import ErrandMachines
import TestEffort
import Testing

@Suite("G5, G9: a chain answers every event in every state as written here", .timeLimit(.minutes(60)), .paced)
struct ChainMachineTableTests {
    @Test("Each event in each state", arguments: ChainState.allCases, ChainEvent.allCases)
    func eventInState(_ state: ChainState, _ event: ChainEvent) {
        ChainTable.check(event, in: state)
    }
}

/// Where a chain of two steps can be; in the last step, or cancelled there.
enum ChainState: CaseIterable {
    case empty, idle, starting, startingStopped
    case inStep, inStepStopped, inCallback, inCallbackStopped, inRecovery, inRecoveryStopped
    case inLastStep, inLastCallback, inLastRecovery
    case endedFinished, endedFailed, endedCancelled, endedEmpty, cancelledIdle
}

/// What a chain can be told, of the step that is worked on; `otherStep` says everything that can be said of another.
enum ChainEvent: CaseIterable {
    case add, start, entered, succeeded, failed, failedRecoverably
    case returned, threw, recovered, notRecovered, otherStep, cancel
}

enum ChainAnswer: Equatable {
    case added, refused, begin, empty, alreadyStarted, cancelled, none, run, callback, recover, settle, stopRun
    case finish(ChainEnd)
}

enum ChainEnd: Equatable {
    case finished, failed, cancelled, empty
}

struct ChainView: Equatable {
    var isIdle = false
    var hasStep = false
    var end: ChainEnd?
}

// MARK: - The table

enum ChainTable: MachineTable {
    typealias Row = [ChainEvent: Cell<ChainAnswer, ChainState>]

    static func row(_ state: ChainState) -> Row {
        switch state {
        case .empty:
            [
                .add: .go(.added, .idle), .start: .go(.empty, .endedEmpty), .entered: .stay(.none),
                .succeeded: .stay(.none), .failed: .stay(.none), .failedRecoverably: .stay(.none),
                .returned: .stay(.none), .threw: .stay(.none), .recovered: .stay(.none), .notRecovered: .stay(.none),
                .otherStep: .stay(.none), .cancel: .go(.settle, .cancelledIdle),
            ]
        case .idle:
            [
                .add: .stay(.added), .start: .go(.begin, .starting), .entered: .stay(.none),
                .succeeded: .stay(.none), .failed: .stay(.none), .failedRecoverably: .stay(.none),
                .returned: .stay(.none), .threw: .stay(.none), .recovered: .stay(.none), .notRecovered: .stay(.none),
                .otherStep: .stay(.none), .cancel: .go(.settle, .cancelledIdle),
            ]
        case .starting:
            [
                .add: .stay(.added), .start: .stay(.alreadyStarted), .entered: .go(.run, .inStep),
                .succeeded: .stay(.none), .failed: .stay(.none), .failedRecoverably: .stay(.none),
                .returned: .stay(.none), .threw: .stay(.none), .recovered: .stay(.none), .notRecovered: .stay(.none),
                .otherStep: .stay(.none), .cancel: .go(.stopRun, .startingStopped),
            ]
        case .startingStopped:
            [
                .add: .stay(.refused), .start: .stay(.alreadyStarted),
                .entered: .go(.finish(.cancelled), .endedCancelled), .succeeded: .stay(.none),
                .failed: .stay(.none), .failedRecoverably: .stay(.none), .returned: .stay(.none),
                .threw: .stay(.none), .recovered: .stay(.none), .notRecovered: .stay(.none),
                .otherStep: .stay(.none), .cancel: .stay(.none),
            ]
        case .inStep, .inLastStep:
            [
                .add: .go(.added, .inStep), .start: .stay(.alreadyStarted), .entered: .stay(.none),
                .succeeded: .go(.callback, state == .inStep ? .inCallback : .inLastCallback),
                .failed: .go(.finish(.failed), .endedFailed),
                .failedRecoverably: .go(.recover, state == .inStep ? .inRecovery : .inLastRecovery),
                .returned: .stay(.none), .threw: .stay(.none), .recovered: .stay(.none), .notRecovered: .stay(.none),
                .otherStep: .stay(.none), .cancel: .go(.stopRun, .inStepStopped),
            ]
        case .inStepStopped:
            [
                .add: .stay(.refused), .start: .stay(.alreadyStarted), .entered: .stay(.none),
                .succeeded: .go(.finish(.cancelled), .endedCancelled),
                .failed: .go(.finish(.cancelled), .endedCancelled),
                .failedRecoverably: .go(.finish(.cancelled), .endedCancelled),
                .returned: .stay(.none), .threw: .stay(.none), .recovered: .stay(.none), .notRecovered: .stay(.none),
                .otherStep: .stay(.none), .cancel: .stay(.none),
            ]
        case .inCallback, .inLastCallback:
            [
                .add: .go(.added, .inCallback), .start: .stay(.alreadyStarted), .entered: .stay(.none),
                .succeeded: .stay(.none), .failed: .stay(.none), .failedRecoverably: .stay(.none),
                .returned: state == .inCallback ? .go(.run, .inLastStep) : .go(.finish(.finished), .endedFinished),
                .threw: .go(.finish(.failed), .endedFailed), .recovered: .stay(.none), .notRecovered: .stay(.none),
                .otherStep: .stay(.none), .cancel: .go(.stopRun, .inCallbackStopped),
            ]
        case .inCallbackStopped:
            [
                .add: .stay(.refused), .start: .stay(.alreadyStarted), .entered: .stay(.none),
                .succeeded: .stay(.none), .failed: .stay(.none), .failedRecoverably: .stay(.none),
                .returned: .go(.finish(.cancelled), .endedCancelled),
                .threw: .go(.finish(.cancelled), .endedCancelled), .recovered: .stay(.none),
                .notRecovered: .stay(.none), .otherStep: .stay(.none), .cancel: .stay(.none),
            ]
        case .inRecovery, .inLastRecovery:
            [
                .add: .go(.added, .inRecovery), .start: .stay(.alreadyStarted), .entered: .stay(.none),
                .succeeded: .stay(.none), .failed: .stay(.none), .failedRecoverably: .stay(.none),
                .returned: .stay(.none), .threw: .stay(.none),
                .recovered: .go(.callback, state == .inRecovery ? .inCallback : .inLastCallback),
                .notRecovered: .go(.finish(.failed), .endedFailed), .otherStep: .stay(.none),
                .cancel: .go(.stopRun, .inRecoveryStopped),
            ]
        case .inRecoveryStopped:
            [
                .add: .stay(.refused), .start: .stay(.alreadyStarted), .entered: .stay(.none),
                .succeeded: .stay(.none), .failed: .stay(.none), .failedRecoverably: .stay(.none),
                .returned: .stay(.none), .threw: .stay(.none),
                .recovered: .go(.finish(.cancelled), .endedCancelled),
                .notRecovered: .go(.finish(.cancelled), .endedCancelled), .otherStep: .stay(.none),
                .cancel: .stay(.none),
            ]
        case .endedFinished, .endedFailed, .endedCancelled, .endedEmpty: self.ended(start: .alreadyStarted)
        case .cancelledIdle: self.ended(start: .cancelled)
        }
    }

    private static func ended(start: ChainAnswer) -> Row {
        [
            .add: .stay(.refused), .start: .stay(start), .entered: .stay(.none), .succeeded: .stay(.none),
            .failed: .stay(.none), .failedRecoverably: .stay(.none), .returned: .stay(.none), .threw: .stay(.none),
            .recovered: .stay(.none), .notRecovered: .stay(.none), .otherStep: .stay(.none), .cancel: .stay(.none),
        ]
    }

    static func view(of state: ChainState) -> ChainView {
        switch state {
        case .empty, .idle: ChainView(isIdle: true)
        case .starting, .startingStopped: ChainView()
        case .inStep, .inStepStopped, .inLastStep: ChainView(hasStep: true)
        case .inCallback, .inCallbackStopped, .inLastCallback: ChainView(hasStep: true)
        case .inRecovery, .inRecoveryStopped, .inLastRecovery: ChainView(hasStep: true)
        case .endedFinished: ChainView(end: .finished)
        case .endedFailed: ChainView(end: .failed)
        case .endedCancelled, .cancelledIdle: ChainView(end: .cancelled)
        case .endedEmpty: ChainView(end: .empty)
        }
    }
}

// MARK: - The machine

extension ChainTable {
    static func path(to state: ChainState) -> [ChainEvent] {
        switch state {
        case .empty: []
        case .idle: [.add, .add]
        case .starting: [.add, .add, .start]
        case .startingStopped: [.add, .add, .start, .cancel]
        case .inStep: [.add, .add, .start, .entered]
        case .inStepStopped: self.path(to: .inStep) + [.cancel]
        case .inCallback: self.path(to: .inStep) + [.succeeded]
        case .inCallbackStopped: self.path(to: .inCallback) + [.cancel]
        case .inRecovery: self.path(to: .inStep) + [.failedRecoverably]
        case .inRecoveryStopped: self.path(to: .inRecovery) + [.cancel]
        case .inLastStep: self.path(to: .inCallback) + [.returned]
        case .inLastCallback: self.path(to: .inLastStep) + [.succeeded]
        case .inLastRecovery: self.path(to: .inLastStep) + [.failedRecoverably]
        case .endedFinished: self.path(to: .inLastCallback) + [.returned]
        case .endedFailed: self.path(to: .inStep) + [.failed]
        case .endedCancelled: self.path(to: .inStepStopped) + [.succeeded]
        case .endedEmpty: [.start]
        case .cancelledIdle: [.cancel]
        }
    }

    static func replay(_ events: [ChainEvent]) -> (answers: [ChainAnswer], view: ChainView) {
        var machine = ChainMachine(stepCount: 0)
        var answers: [ChainAnswer] = []
        for event in events { answers.append(self.tell(&machine, event)) }
        let end = machine.conclusion.map(self.end)
        return (answers, ChainView(isIdle: machine.isIdle, hasStep: machine.currentStep != nil, end: end))
    }
}
