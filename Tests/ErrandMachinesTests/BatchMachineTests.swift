import ErrandMachines
import TestEffort
import Testing

@Suite("G4, G7, G9: scripts of a batch", .timeLimit(.minutes(60)), .paced)
struct BatchMachineTests {
    /// A batch that was started with some children, its input over.
    private static func begun(_ policy: BatchMachine.FailurePolicy, children: Int) -> BatchMachine {
        var machine = BatchMachine(policy: policy)
        #expect(machine.start() == .begin)
        for index in 0..<children { #expect(machine.startChild() == .start(index)) }
        #expect(machine.inputEnded() == .none)
        return machine
    }

    // MARK: - Finishing

    @Test("It finishes with the last child, whatever the order", arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func finishes(_ order: [Int]) {
        var machine = Self.begun(.failFast, children: 3)
        for (position, child) in order.enumerated() {
            #expect(machine.openCount == 3 - position)
            let action = machine.childEnded(child, succeeded: true)
            #expect(action == (position == 2 ? .finish(.finished) : .none))
        }
        #expect(machine.conclusion == .finished)
        #expect(machine.startedCount == 3)
        #expect(machine.endedCount == 3)
        #expect(machine.firstFailure == nil)
    }

    @Test("An empty batch finishes with nothing", arguments: [BatchMachine.FailurePolicy.failFast, .collectAll])
    func empty(_ policy: BatchMachine.FailurePolicy) {
        var machine = BatchMachine(policy: policy)
        #expect(machine.start() == .begin)
        #expect(machine.inputEnded() == .finish(.finished))
        #expect(machine.conclusion == .finished)
        #expect(machine.startedCount == 0)
        #expect(machine.inputEnded() == .none)
    }

    @Test("A child that is reported twice counts once")
    func childTwice() {
        var machine = Self.begun(.failFast, children: 2)
        #expect(machine.childEnded(0, succeeded: true) == .none)
        #expect(machine.childEnded(0, succeeded: true) == .none)
        #expect(machine.childEnded(0, succeeded: false) == .none)
        #expect(machine.endedCount == 1)
        #expect(machine.firstFailure == nil)
        #expect(machine.childEnded(1, succeeded: true) == .finish(.finished))
        #expect(machine.childEnded(1, succeeded: false) == .none)
        #expect(machine.endedCount == 2)
        #expect(machine.conclusion == .finished)
    }

    @Test("A child that was never started does not count")
    func unknownChild() {
        var machine = Self.begun(.failFast, children: 1)
        #expect(machine.childEnded(7, succeeded: false) == .none)
        #expect(machine.endedCount == 0)
        #expect(machine.isRunning == true)
    }

    // MARK: - Failing

    @Test("The first failure in time stops the others and is the one reported")
    func failFast() {
        var machine = Self.begun(.failFast, children: 4)
        #expect(machine.childEnded(2, succeeded: false) == .stopOthers)
        #expect(machine.firstFailure == 2)
        #expect(machine.isRunning == false)
        #expect(machine.conclusion == nil)
        #expect(machine.startChild() == .skip)
        #expect(machine.childEnded(0, succeeded: false) == .none)
        #expect(machine.childEnded(3, succeeded: true) == .none)
        #expect(machine.firstFailure == 2)
        #expect(machine.childEnded(1, succeeded: false) == .finish(.failed(child: 2)))
        #expect(machine.conclusion == .failed(child: 2))
        #expect(machine.endedCount == 4)
    }

    @Test("A failure of the last child ends the batch at once")
    func lastFails() {
        var machine = Self.begun(.failFast, children: 2)
        #expect(machine.childEnded(0, succeeded: true) == .none)
        #expect(machine.childEnded(1, succeeded: false) == .finish(.failed(child: 1)))
    }

    @Test("A failure before the end of the input ends the batch once the input ended too")
    func failsBeforeInputEnded() {
        var machine = BatchMachine(policy: .failFast)
        _ = machine.start()
        _ = machine.startChild()
        #expect(machine.childEnded(0, succeeded: false) == .stopOthers)
        #expect(machine.startChild() == .skip)
        #expect(machine.startedCount == 1)
        #expect(machine.conclusion == nil)
        #expect(machine.inputEnded() == .finish(.failed(child: 0)))
    }

    @Test("Collecting all, every child runs to its own end and the first failure is remembered")
    func collectAll() {
        var machine = Self.begun(.collectAll, children: 3)
        #expect(machine.childEnded(1, succeeded: false) == .none)
        #expect(machine.isRunning == true)
        #expect(machine.childEnded(0, succeeded: false) == .none)
        #expect(machine.childEnded(2, succeeded: true) == .finish(.finished))
        #expect(machine.firstFailure == 1)
        #expect(machine.conclusion == .finished)
    }

    // MARK: - Streaming

    @Test("A streamed batch ends only when its input has, however often it runs dry")
    func streamed() {
        var machine = BatchMachine(policy: .failFast)
        _ = machine.start()
        for index in 0..<3 {
            #expect(machine.startChild() == .start(index))
            #expect(machine.childEnded(index, succeeded: true) == .none)
            #expect(machine.openCount == 0)
            #expect(machine.isRunning == true)
        }
        #expect(machine.inputEnded() == .finish(.finished))
        #expect(machine.startChild() == .skip)
        #expect(machine.startedCount == 3)
    }

    // MARK: - Starting and cancelling

    @Test("A batch starts once")
    func secondStart() {
        var machine = BatchMachine(policy: .failFast)
        #expect(machine.isIdle == true)
        #expect(machine.startChild() == .skip)
        #expect(machine.start() == .begin)
        #expect(machine.isIdle == false)
        #expect(machine.start() == .alreadyStarted)
        _ = machine.startChild()
        _ = machine.cancel()
        #expect(machine.start() == .alreadyStarted)
        _ = machine.inputEnded()
        _ = machine.childEnded(0, succeeded: false)
        #expect(machine.conclusion == .cancelled)
        #expect(machine.start() == .alreadyStarted)
    }

    @Test("Cancelled before the start, it is settled and can never begin")
    func cancelIdle() {
        var machine = BatchMachine(policy: .failFast)
        #expect(machine.cancel() == .settle)
        #expect(machine.cancel() == .none)
        #expect(machine.conclusion == .cancelled)
        #expect(machine.start() == .cancelled)
        #expect(machine.startChild() == .skip)
        #expect(machine.inputEnded() == .none)
        #expect(machine.start() == .cancelled)
    }

    @Test("An end of the input that comes before the start does nothing")
    func inputEndedEarly() {
        var machine = BatchMachine(policy: .failFast)
        #expect(machine.inputEnded() == .none)
        #expect(machine.start() == .begin)
        #expect(machine.startChild() == .start(0))
        #expect(machine.childEnded(0, succeeded: true) == .none)
        #expect(machine.startChild() == .start(1))
        #expect(machine.inputEnded() == .none)
        #expect(machine.childEnded(1, succeeded: true) == .finish(.finished))
    }

    @Test("Cancelled with no child started, it ends as cancelled with the input, and was started")
    func cancelWithoutChildren() {
        var machine = BatchMachine(policy: .collectAll)
        _ = machine.start()
        #expect(machine.cancel() == .stopChildren)
        #expect(machine.startChild() == .skip)
        #expect(machine.inputEnded() == .finish(.cancelled))
        #expect(machine.start() == .alreadyStarted)
    }

    @Test("Cancelled with children, it ends as cancelled with the last of them, even if they succeed")
    func cancelRunning() {
        var machine = Self.begun(.failFast, children: 2)
        #expect(machine.cancel() == .stopChildren)
        #expect(machine.cancel() == .none)
        #expect(machine.childEnded(0, succeeded: false) == .none)
        #expect(machine.firstFailure == nil)
        #expect(machine.childEnded(1, succeeded: true) == .finish(.cancelled))
        #expect(machine.cancel() == .none)
        #expect(machine.conclusion == .cancelled)
    }

    @Test("A cancellation after the first failure does not take its place")
    func cancelAfterFailure() {
        var machine = Self.begun(.failFast, children: 2)
        #expect(machine.childEnded(0, succeeded: false) == .stopOthers)
        #expect(machine.cancel() == .none)
        #expect(machine.childEnded(1, succeeded: false) == .finish(.failed(child: 0)))
    }
}
