import ErrandMachines
import TestEffort
import Testing

@Suite("G4, G9: a batch answers every event in every state as written here", .timeLimit(.minutes(60)), .paced)
struct BatchMachineTableTests {
    private static let common: [BatchState] = [
        .idle, .cancelledIdle, .running(0), .running(1), .running(2), .runningLast(1), .runningLast(2),
        .cancelled(0), .cancelled(1), .cancelled(2), .cancelledLast(1), .cancelledLast(2),
        .endedFinished, .endedCancelled,
    ]
    private static let afterFailure: [BatchState] = [
        .failed(0), .failed(1), .failed(2), .failedLast(1), .failedLast(2), .endedFailed,
    ]

    @Test("Each event in each state, failing fast", arguments: common + afterFailure, BatchEvent.allCases)
    func failFast(_ state: BatchState, _ event: BatchEvent) {
        BatchTable<FailFast>.check(event, in: state)
    }

    @Test("Each event in each state, collecting all", arguments: common, BatchEvent.allCases)
    func collectAll(_ state: BatchState, _ event: BatchEvent) {
        BatchTable<CollectAll>.check(event, in: state)
    }
}

/// The number says how many children run; `Last` that the input has ended.
enum BatchState: Hashable {
    case idle, cancelledIdle
    case running(Int), runningLast(Int)
    case failed(Int), failedLast(Int), cancelled(Int), cancelledLast(Int)
    case endedFinished, endedFailed, endedCancelled
}

/// What a batch can be told.
///
/// The child that ends is the oldest that runs; with none, it is the first one once more.
enum BatchEvent: CaseIterable {
    case start, startChild, inputEnded, succeeded, failed, unknownEnded, cancel
}

enum BatchAnswer: Equatable {
    case begin, alreadyStarted, cancelled, startChild, skip, none, stopOthers, settle, stopChildren
    case finish(BatchEnd)
}

enum BatchEnd: Equatable {
    case finished, failed, cancelled
}

struct BatchView: Equatable {
    var isIdle = false
    var isRunning = false
    var open = 0
    var end: BatchEnd?
}

protocol BatchPolicy: SendableMetatype {
    static var policy: BatchMachine.FailurePolicy { get }
    /// What the failure of a child does, by how many run, that one included, and whether the input has ended.
    static func failure(open: Int, isLast: Bool) -> Cell<BatchAnswer, BatchState>
}

enum FailFast: BatchPolicy {
    static let policy = BatchMachine.FailurePolicy.failFast

    static func failure(open: Int, isLast: Bool) -> Cell<BatchAnswer, BatchState> {
        switch (open, isLast) {
        case (1, true): .go(.finish(.failed), .endedFailed)
        case (_, true): .go(.stopOthers, .failedLast(open - 1))
        case (0, false): .stay(.none)
        case (_, false): .go(.stopOthers, .failed(open - 1))
        }
    }
}

enum CollectAll: BatchPolicy {
    static let policy = BatchMachine.FailurePolicy.collectAll

    static func failure(open: Int, isLast: Bool) -> Cell<BatchAnswer, BatchState> {
        switch (open, isLast) {
        case (1, true): .go(.finish(.finished), .endedFinished)
        case (_, true): .go(.none, .runningLast(open - 1))
        case (0, false): .stay(.none)
        case (_, false): .go(.none, .running(open - 1))
        }
    }
}

// MARK: - The table

enum BatchTable<Policy: BatchPolicy>: MachineTable {
    typealias Row = [BatchEvent: Cell<BatchAnswer, BatchState>]

    static func row(_ state: BatchState) -> Row {
        switch state {
        case .idle:
            [
                .start: .go(.begin, .running(0)), .startChild: .stay(.skip), .inputEnded: .stay(.none),
                .succeeded: .stay(.none), .failed: .stay(.none), .unknownEnded: .stay(.none),
                .cancel: .go(.settle, .cancelledIdle),
            ]
        case .cancelledIdle:
            [
                .start: .stay(.cancelled), .startChild: .stay(.skip), .inputEnded: .stay(.none),
                .succeeded: .stay(.none), .failed: .stay(.none), .unknownEnded: .stay(.none), .cancel: .stay(.none),
            ]
        case .running(let open):
            [
                .start: .stay(.alreadyStarted), .startChild: .go(.startChild, .running(open + 1)),
                .inputEnded: open == 0 ? .go(.finish(.finished), .endedFinished) : .go(.none, .runningLast(open)),
                .succeeded: open == 0 ? .stay(.none) : .go(.none, .running(open - 1)),
                .failed: Policy.failure(open: open, isLast: false), .unknownEnded: .stay(.none),
                .cancel: .go(.stopChildren, .cancelled(open)),
            ]
        case .runningLast(let open):
            [
                .start: .stay(.alreadyStarted), .startChild: .go(.startChild, .runningLast(open + 1)),
                .inputEnded: .stay(.none),
                .succeeded: open == 1
                    ? .go(.finish(.finished), .endedFinished) : .go(.none, .runningLast(open - 1)),
                .failed: Policy.failure(open: open, isLast: true), .unknownEnded: .stay(.none),
                .cancel: .go(.stopChildren, .cancelledLast(open)),
            ]
        case .failed(0): self.over(inputEnded: .go(.finish(.failed), .endedFailed))
        case .failed(let open):
            self.over(inputEnded: .go(.none, .failedLast(open)), ended: .go(.none, .failed(open - 1)))
        case .failedLast(1): self.over(ended: .go(.finish(.failed), .endedFailed))
        case .failedLast(let open): self.over(ended: .go(.none, .failedLast(open - 1)))
        case .cancelled(0): self.over(inputEnded: .go(.finish(.cancelled), .endedCancelled))
        case .cancelled(let open):
            self.over(inputEnded: .go(.none, .cancelledLast(open)), ended: .go(.none, .cancelled(open - 1)))
        case .cancelledLast(1): self.over(ended: .go(.finish(.cancelled), .endedCancelled))
        case .cancelledLast(let open): self.over(ended: .go(.none, .cancelledLast(open - 1)))
        case .endedFinished, .endedFailed, .endedCancelled: self.over()
        }
    }

    /// A batch that starts nothing any more: how a child ends makes no difference.
    private static func over(
        inputEnded: Cell<BatchAnswer, BatchState> = .stay(.none), ended: Cell<BatchAnswer, BatchState> = .stay(.none)
    ) -> Row {
        [
            .start: .stay(.alreadyStarted), .startChild: .stay(.skip), .inputEnded: inputEnded, .succeeded: ended,
            .failed: ended, .unknownEnded: .stay(.none), .cancel: .stay(.none),
        ]
    }

    static func view(of state: BatchState) -> BatchView {
        switch state {
        case .idle: BatchView(isIdle: true)
        case .cancelledIdle: BatchView(end: .cancelled)
        case .running(let open), .runningLast(let open): BatchView(isRunning: true, open: open)
        case .failed(let open), .failedLast(let open): BatchView(open: open)
        case .cancelled(let open), .cancelledLast(let open): BatchView(open: open)
        case .endedFinished: BatchView(end: .finished)
        case .endedFailed: BatchView(end: .failed)
        case .endedCancelled: BatchView(end: .cancelled)
        }
    }
}

// MARK: - The machine

extension BatchTable {
    static func path(to state: BatchState) -> [BatchEvent] {
        switch state {
        case .idle: []
        case .cancelledIdle: [.cancel]
        case .running(let open): [.start] + Array(repeating: .startChild, count: open)
        case .runningLast(let open): self.path(to: .running(open)) + [.inputEnded]
        case .failed(let open): self.path(to: .running(open + 1)) + [.failed]
        case .failedLast(let open): self.path(to: .runningLast(open + 1)) + [.failed]
        case .cancelled(let open): self.path(to: .running(open)) + [.cancel]
        case .cancelledLast(let open): self.path(to: .runningLast(open)) + [.cancel]
        case .endedFinished: self.path(to: .runningLast(1)) + [.succeeded]
        case .endedFailed: self.path(to: .runningLast(1)) + [.failed]
        case .endedCancelled: self.path(to: .cancelledLast(1)) + [.failed]
        }
    }

    static func replay(_ events: [BatchEvent]) -> (answers: [BatchAnswer], view: BatchView) {
        var machine = BatchMachine(policy: Policy.policy)
        var open: [Int] = []
        var answers: [BatchAnswer] = []
        for event in events { answers.append(self.tell(&machine, event, &open)) }
        let view = BatchView(
            isIdle: machine.isIdle, isRunning: machine.isRunning, open: machine.openCount,
            end: machine.conclusion.map(self.end))
        return (answers, view)
    }

    private static func tell(_ machine: inout BatchMachine, _ event: BatchEvent, _ open: inout [Int]) -> BatchAnswer {
        switch event {
        case .start:
            switch machine.start() {
            case .begin: return .begin
            case .alreadyStarted: return .alreadyStarted
            case .cancelled: return .cancelled
            }
        case .startChild:
            guard case .start(let index) = machine.startChild() else { return .skip }
            open.append(index)
            return .startChild
        case .inputEnded: return self.progress(machine.inputEnded())
        case .succeeded, .failed:
            let child = open.isEmpty ? 0 : open.removeFirst()
            return self.progress(machine.childEnded(child, succeeded: event == .succeeded))
        case .unknownEnded: return self.progress(machine.childEnded(99, succeeded: false))
        case .cancel:
            switch machine.cancel() {
            case .settle: return .settle
            case .stopChildren: return .stopChildren
            case .none: return .none
            }
        }
    }

    private static func progress(_ action: BatchMachine.ProgressAction) -> BatchAnswer {
        switch action {
        case .none: .none
        case .stopOthers: .stopOthers
        case .finish(let conclusion): .finish(self.end(conclusion))
        }
    }

    private static func end(_ conclusion: BatchMachine.Conclusion) -> BatchEnd {
        switch conclusion {
        case .finished: .finished
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }
}
