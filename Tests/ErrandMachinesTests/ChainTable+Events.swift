import ErrandMachines

extension ChainTable {
    /// Tells a machine of one event; a step index is left out of the answer.
    static func tell(_ machine: inout ChainMachine, _ event: ChainEvent) -> ChainAnswer {
        let step = machine.currentStep ?? 0
        switch event {
        case .add: return machine.addStep() == .refused ? .refused : .added
        case .start: return self.start(&machine)
        case .entered: return self.answer(machine.entered())
        case .succeeded: return self.answer(machine.stepSucceeded(step))
        case .failed: return self.answer(machine.stepFailed(step, canRecover: false))
        case .failedRecoverably: return self.answer(machine.stepFailed(step, canRecover: true))
        case .returned: return self.answer(machine.callbackEnded(step, succeeded: true))
        case .threw: return self.answer(machine.callbackEnded(step, succeeded: false))
        case .recovered: return self.answer(machine.recoveryEnded(step, succeeded: true))
        case .notRecovered: return self.answer(machine.recoveryEnded(step, succeeded: false))
        case .otherStep: return self.tellOfOther(&machine, step + 1)
        case .cancel: return self.cancel(&machine)
        }
    }

    private static func tellOfOther(_ machine: inout ChainMachine, _ other: Int) -> ChainAnswer {
        var answers: [ChainAnswer] = []
        for succeeded in [true, false] {
            answers.append(self.answer(machine.recoveryEnded(other, succeeded: succeeded)))
            answers.append(self.answer(machine.callbackEnded(other, succeeded: succeeded)))
            answers.append(self.answer(machine.stepFailed(other, canRecover: succeeded)))
        }
        answers.append(self.answer(machine.stepSucceeded(other)))
        return answers.first { $0 != .none } ?? .none
    }

    private static func start(_ machine: inout ChainMachine) -> ChainAnswer {
        switch machine.start() {
        case .begin: .begin
        case .empty: .empty
        case .alreadyStarted: .alreadyStarted
        case .cancelled: .cancelled
        }
    }

    private static func cancel(_ machine: inout ChainMachine) -> ChainAnswer {
        switch machine.cancel() {
        case .settle: .settle
        case .stopRun: .stopRun
        case .none: .none
        }
    }

    private static func answer(_ action: ChainMachine.StepAction) -> ChainAnswer {
        switch action {
        case .run: .run
        case .callback: .callback
        case .recover: .recover
        case .finish(let conclusion): .finish(self.end(conclusion))
        case .none: .none
        }
    }

    static func end(_ conclusion: ChainMachine.Conclusion) -> ChainEnd {
        switch conclusion {
        case .finished: .finished
        case .failed: .failed
        case .cancelled: .cancelled
        case .empty: .empty
        }
    }
}
