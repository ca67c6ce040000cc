import ErrandMachines
import TestEffort
import Testing

@Suite("G5, G7, G9: scripts of a chain", .timeLimit(.minutes(60)), .paced)
struct ChainMachineTests {
    /// A chain whose first step runs.
    private static func begun(steps: Int) -> ChainMachine {
        var machine = ChainMachine(stepCount: steps)
        #expect(machine.start() == .begin)
        #expect(machine.entered() == .run(0))
        return machine
    }

    // MARK: - One after another

    @Test("Each step starts after the callback of the one before it")
    func inOrder() {
        var machine = Self.begun(steps: 3)
        for step in 0..<3 {
            #expect(machine.currentStep == step)
            #expect(machine.stepSucceeded(step) == .callback(step))
            #expect(machine.currentStep == step)
            let action = machine.callbackEnded(step, succeeded: true)
            #expect(action == (step == 2 ? .finish(.finished) : .run(step + 1)))
        }
        #expect(machine.currentStep == nil)
        #expect(machine.conclusion == .finished)
    }

    @Test("No step runs before the hooks have")
    func hooksFirst() {
        var machine = ChainMachine(stepCount: 1)
        #expect(machine.entered() == .none)
        #expect(machine.start() == .begin)
        #expect(machine.currentStep == nil)
        #expect(machine.stepSucceeded(0) == .none)
        #expect(machine.entered() == .run(0))
        #expect(machine.entered() == .none)
    }

    @Test("Words about another step, or a second time, do nothing")
    func lateWords() {
        var machine = Self.begun(steps: 2)
        #expect(machine.stepSucceeded(1) == .none)
        #expect(machine.stepFailed(1, canRecover: false) == .none)
        #expect(machine.callbackEnded(0, succeeded: true) == .none)
        #expect(machine.recoveryEnded(0, succeeded: true) == .none)
        #expect(machine.stepSucceeded(0) == .callback(0))
        #expect(machine.stepSucceeded(0) == .none)
        #expect(machine.stepFailed(0, canRecover: true) == .none)
        #expect(machine.callbackEnded(1, succeeded: true) == .none)
        #expect(machine.callbackEnded(0, succeeded: true) == .run(1))
        #expect(machine.callbackEnded(0, succeeded: false) == .none)
        #expect(machine.stepFailed(0, canRecover: false) == .none)
        #expect(machine.currentStep == 1)
    }

    // MARK: - Failing

    @Test("A step that fails ends the chain, and no step after it starts")
    func stepFails() {
        var machine = Self.begun(steps: 3)
        _ = machine.stepSucceeded(0)
        _ = machine.callbackEnded(0, succeeded: true)
        #expect(machine.stepFailed(1, canRecover: false) == .finish(.failed(step: 1)))
        #expect(machine.callbackEnded(1, succeeded: true) == .none)
        #expect(machine.conclusion == .failed(step: 1))
    }

    @Test("A callback that throws ends the chain with its step")
    func callbackThrows() {
        var machine = Self.begun(steps: 2)
        _ = machine.stepSucceeded(0)
        #expect(machine.callbackEnded(0, succeeded: false) == .finish(.failed(step: 0)))
        #expect(machine.conclusion == .failed(step: 0))
    }

    @Test("A recovery that gives a value lets the chain go on through the callback")
    func recovers() {
        var machine = Self.begun(steps: 2)
        #expect(machine.stepFailed(0, canRecover: true) == .recover(0))
        #expect(machine.currentStep == 0)
        #expect(machine.callbackEnded(0, succeeded: true) == .none)
        #expect(machine.recoveryEnded(0, succeeded: true) == .callback(0))
        #expect(machine.recoveryEnded(0, succeeded: false) == .none)
        #expect(machine.callbackEnded(0, succeeded: true) == .run(1))
    }

    @Test("A recovery that fails ends the chain with its step")
    func recoveryFails() {
        var machine = Self.begun(steps: 2)
        _ = machine.stepFailed(0, canRecover: true)
        #expect(machine.recoveryEnded(0, succeeded: false) == .finish(.failed(step: 0)))
    }

    // MARK: - Growing

    @Test("A step that is added in the callback of the last one runs after it")
    func growsInCallback() {
        var machine = Self.begun(steps: 1)
        _ = machine.stepSucceeded(0)
        #expect(machine.addStep() == .added(1))
        #expect(machine.addStep() == .added(2))
        #expect(machine.stepCount == 3)
        #expect(machine.callbackEnded(0, succeeded: true) == .run(1))
        _ = machine.stepSucceeded(1)
        #expect(machine.callbackEnded(1, succeeded: true) == .run(2))
        _ = machine.stepSucceeded(2)
        #expect(machine.callbackEnded(2, succeeded: true) == .finish(.finished))
        #expect(machine.addStep() == .refused)
        #expect(machine.stepCount == 3)
    }

    @Test("A step can be added before the start, in the hooks, while a step runs and in a recovery")
    func growsAnywhere() {
        var machine = ChainMachine(stepCount: 0)
        #expect(machine.addStep() == .added(0))
        #expect(machine.start() == .begin)
        #expect(machine.addStep() == .added(1))
        #expect(machine.entered() == .run(0))
        #expect(machine.addStep() == .added(2))
        _ = machine.stepFailed(0, canRecover: true)
        #expect(machine.addStep() == .added(3))
    }

    @Test("A chain that was cancelled takes no step any more")
    func cancelledRefusesSteps() {
        var machine = Self.begun(steps: 1)
        _ = machine.stepSucceeded(0)
        _ = machine.cancel()
        #expect(machine.addStep() == .refused)
        #expect(machine.stepCount == 1)
    }

    // MARK: - Starting

    @Test("An empty chain is over when it is started")
    func empty() {
        var machine = ChainMachine(stepCount: 0)
        #expect(machine.isIdle == true)
        #expect(machine.start() == .empty)
        #expect(machine.conclusion == .empty)
        #expect(machine.addStep() == .refused)
        #expect(machine.start() == .alreadyStarted)
        #expect(machine.cancel() == .none)
        #expect(machine.conclusion == .empty)
    }

    @Test("A chain starts once, however it ended")
    func secondStart() {
        var machine = ChainMachine(stepCount: 1)
        _ = machine.start()
        #expect(machine.start() == .alreadyStarted)
        _ = machine.entered()
        #expect(machine.start() == .alreadyStarted)
        _ = machine.cancel()
        #expect(machine.stepSucceeded(0) == .finish(.cancelled))
        #expect(machine.start() == .alreadyStarted)
    }

    // MARK: - Cancelling

    @Test("Cancelled before the start, it is settled and can never begin")
    func cancelIdle() {
        var machine = ChainMachine(stepCount: 1)
        #expect(machine.cancel() == .settle)
        #expect(machine.cancel() == .none)
        #expect(machine.start() == .cancelled)
        #expect(machine.entered() == .none)
        #expect(machine.addStep() == .refused)
        #expect(machine.conclusion == .cancelled)
    }

    @Test("Cancelled in the hooks before the first step, no step runs")
    func cancelInHooks() {
        var machine = ChainMachine(stepCount: 1)
        _ = machine.start()
        #expect(machine.cancel() == .stopRun)
        #expect(machine.cancel() == .none)
        #expect(machine.entered() == .finish(.cancelled))
    }

    @Test("Cancelled while a step runs, it ends as cancelled whatever the step says", arguments: [true, false])
    func cancelInStep(_ succeeds: Bool) {
        var machine = Self.begun(steps: 2)
        #expect(machine.cancel() == .stopRun)
        #expect(machine.currentStep == 0)
        let action = succeeds ? machine.stepSucceeded(0) : machine.stepFailed(0, canRecover: true)
        #expect(action == .finish(.cancelled))
    }

    @Test("Cancelled in a callback, even the last one, it ends as cancelled", arguments: [1, 2], [true, false])
    func cancelInCallback(_ steps: Int, _ returns: Bool) {
        var machine = Self.begun(steps: steps)
        _ = machine.stepSucceeded(0)
        #expect(machine.cancel() == .stopRun)
        #expect(machine.callbackEnded(0, succeeded: returns) == .finish(.cancelled))
        #expect(machine.cancel() == .none)
        #expect(machine.conclusion == .cancelled)
    }

    @Test("Cancelled in a recovery, it ends as cancelled", arguments: [true, false])
    func cancelInRecovery(_ recovers: Bool) {
        var machine = Self.begun(steps: 1)
        _ = machine.stepFailed(0, canRecover: true)
        #expect(machine.cancel() == .stopRun)
        #expect(machine.recoveryEnded(0, succeeded: recovers) == .finish(.cancelled))
    }
}
