import ErrandMachines
import TestEffort
import Testing

@Suite("G1, G6: scripts of a request", .timeLimit(.minutes(60)), .paced)
struct RequestMachineTests {
    // MARK: - Starting

    @Test("A start begins the one run, every later one joins it")
    func startThenJoin() {
        var machine = RequestMachine()
        #expect(machine.canStart == true)
        #expect(machine.start() == .begin)
        #expect(machine.canStart == false)
        #expect(machine.start() == .join)
        #expect(machine.entered() == .publish(.running))
        #expect(machine.start() == .join)
        #expect(machine.concluded(.finished) == .end)
        #expect(machine.start() == .join)
        #expect(machine.stopped() == .publish(.finished))
        #expect(machine.start() == .join)
        #expect(machine.conclusion == .finished)
    }

    @Test("The world sees a start after the hooks before it, and an end after the hooks before that")
    func hooksSplit() {
        var machine = RequestMachine()
        _ = machine.start()
        #expect(machine.phase == .idle)
        _ = machine.entered()
        #expect(machine.phase == .running)
        _ = machine.concluded(.finished)
        #expect(machine.phase == .running)
        #expect(machine.conclusion == nil)
        _ = machine.stopped()
        #expect(machine.phase == .finished)
        #expect(machine.conclusion == .finished)
    }

    @Test("A request that cannot be sent is settled as failed, and only before it starts")
    func refused() {
        var unstarted = RequestMachine()
        #expect(unstarted.refused() == .settle)
        #expect(unstarted.refused() == .none)
        #expect(unstarted.conclusion == .failed)
        #expect(unstarted.start() == .join)

        var started = RequestMachine()
        _ = started.start()
        #expect(started.refused() == .none)
        #expect(started.entered() == .publish(.running))

        var cancelled = RequestMachine()
        _ = cancelled.stop(.cancelled)
        #expect(cancelled.refused() == .none)
        #expect(cancelled.conclusion == .cancelled)
    }

    @Test(
        "A run ends as it was concluded, and shows the phase that goes with it",
        arguments: [
            (RequestMachine.Conclusion.finished, RequestMachine.Phase.finished), (.cached, .cached),
            (.failed, .failed), (.cancelled, .failed),
        ])
    func conclusions(_ conclusion: RequestMachine.Conclusion, _ phase: RequestMachine.Phase) {
        var machine = RequestMachine()
        _ = machine.start()
        _ = machine.entered()
        #expect(machine.concluded(conclusion) == .end)
        #expect(machine.stopped() == .publish(conclusion))
        #expect(machine.conclusion == conclusion)
        #expect(machine.phase == phase)
    }

    @Test("Only finished and failed are terminal whatever follows")
    func terminalPhases() {
        #expect(RequestMachine.Phase.allCases.filter(\.isTerminal) == [.finished, .failed])
    }

    // MARK: - Cancelling

    @Test("Cancelled before the start, it is settled and can never begin")
    func cancelIdle() {
        var machine = RequestMachine()
        #expect(machine.stop(.cancelled) == .settle)
        #expect(machine.stop(.cancelled) == .none)
        #expect(machine.start() == .join)
        #expect(machine.entered() == .none)
        #expect(machine.phase == .failed)
        #expect(machine.conclusion == .cancelled)
    }

    @Test("Cancelled in the hooks before the start, it still enters, then ends as cancelled")
    func cancelInWillStart() {
        var machine = RequestMachine()
        _ = machine.start()
        #expect(machine.stop(.cancelled) == .stopRun)
        #expect(machine.stop(.cancelled) == .none)
        #expect(machine.entered() == .publish(.running))
        #expect(machine.stop(.cancelled) == .none)
        #expect(machine.concluded(.finished) == .endAsStopped(.cancelled))
        #expect(machine.stopped() == .publish(.cancelled))
    }

    @Test(
        "A cancellation that came first wins over every other end",
        arguments: [RequestMachine.Conclusion.finished, .cached, .failed, .cancelled])
    func cancelWins(_ asked: RequestMachine.Conclusion) {
        var machine = RequestMachine()
        _ = machine.start()
        _ = machine.entered()
        #expect(machine.stop(.cancelled) == .stopRun)
        #expect(machine.showedCached() == .none)
        #expect(machine.concluded(asked) == .endAsStopped(.cancelled))
        #expect(machine.stopped() == .publish(.cancelled))
        #expect(machine.conclusion == .cancelled)
    }

    @Test(
        "A cancellation after the conclusion changes nothing",
        arguments: [RequestMachine.Conclusion.finished, .cached])
    func cancelTooLate(_ conclusion: RequestMachine.Conclusion) {
        var machine = RequestMachine()
        _ = machine.start()
        _ = machine.entered()
        _ = machine.concluded(conclusion)
        #expect(machine.stop(.cancelled) == .none)
        #expect(machine.stopped() == .publish(conclusion))
        #expect(machine.stop(.cancelled) == .none)
        #expect(machine.conclusion == conclusion)
    }

    @Test(
        "What was stopped ends as that, whatever was found, and later reasons change nothing",
        arguments: [
            (StopReason.totalTimedOut(.zero), RequestMachine.Conclusion.failed),
            (.attemptTimedOut(.zero), .failed), (.authenticationTimedOut(.zero), .failed), (.clientShutDown, .failed),
            (.cancelled, .cancelled),
            (.abandoned, .cancelled),
        ])
    func reasons(_ reason: StopReason, _ conclusion: RequestMachine.Conclusion) {
        var machine = RequestMachine()
        _ = machine.start()
        _ = machine.entered()
        #expect(machine.stop(reason) == .stopRun)
        #expect(machine.stop(.idleTimedOut(.zero)) == .none)
        #expect(machine.stopReason == reason)
        #expect(machine.concluded(.finished) == .endAsStopped(reason))
        #expect(machine.stopped() == .publish(conclusion))
        #expect(machine.conclusion == conclusion)

        var idle = RequestMachine()
        #expect(idle.stop(reason) == .settle)
        #expect(idle.conclusion == conclusion)
    }

    // MARK: - Who is interested

    @Test("The last one to leave stops it, and who comes after that is told")
    func lastLeaves() {
        var machine = RequestMachine()
        #expect(machine.join() == .stay)
        #expect(machine.join() == .stay)
        _ = machine.start()
        #expect(machine.left() == .none)
        #expect(machine.stopReason == nil)
        #expect(machine.left() == .seeOut(.stopRun))
        #expect(machine.stopReason == .abandoned)
        #expect(machine.join() == .tooLate)
        #expect(machine.keep() == .tooLate)
    }

    @Test("What is kept goes on when the last one leaves")
    func kept() {
        var machine = RequestMachine()
        #expect(machine.keep() == .stay)
        #expect(machine.join() == .stay)
        _ = machine.start()
        #expect(machine.left() == .none)
        #expect(machine.stopReason == nil)
    }

    @Test("The last one to leave what was stopped before sees it out, and its reason stays")
    func leavingWhatWasStopped() {
        var machine = RequestMachine()
        _ = machine.join()
        _ = machine.start()
        #expect(machine.stop(.cancelled) == .stopRun)
        #expect(machine.left() == .seeOut(.none))
        #expect(machine.stopReason == .cancelled)
        #expect(machine.join() == .stay)
    }

    @Test("Who cancels what everyone has left means those, too, who might still come", arguments: [false, true])
    func cancelAfterEveryoneLeft(_ isOver: Bool) {
        var machine = RequestMachine()
        _ = machine.join()
        _ = machine.start()
        _ = machine.entered()
        #expect(machine.left() == .seeOut(.stopRun))
        if isOver {
            #expect(machine.concluded(.failed) == .endAsStopped(.abandoned))
            #expect(machine.stopped() == .publish(.cancelled))
        }
        #expect(machine.stop(.cancelled) == .none)
        #expect(machine.stopReason == .cancelled)
        #expect(machine.join() == .stay)
    }

    // MARK: - Cached first

    @Test("A cached answer is shown, then refreshed")
    func cachedThenRefreshed() {
        var machine = RequestMachine()
        _ = machine.start()
        _ = machine.entered()
        #expect(machine.showedCached() == .publish(.cached))
        #expect(machine.phase == .cached)
        #expect(machine.showedCached() == .none)
        #expect(machine.refreshing() == .publish(.running))
        #expect(machine.refreshing() == .none)
        #expect(machine.concluded(.finished) == .end)
        #expect(machine.stopped() == .publish(.finished))
    }

    @Test("An answer from the cache without a refresh ends as cached")
    func cachedOnly() {
        var machine = RequestMachine()
        _ = machine.start()
        _ = machine.entered()
        #expect(machine.concluded(.cached) == .end)
        #expect(machine.phase == .running)
        #expect(machine.stopped() == .publish(.cached))
        #expect(machine.phase == .cached)
        #expect(machine.refreshing() == .none)
    }

    @Test("A refresh that was cancelled while the cached answer showed ends as cancelled")
    func cancelWhileShowing() {
        var machine = RequestMachine()
        _ = machine.start()
        _ = machine.entered()
        _ = machine.showedCached()
        #expect(machine.stop(.cancelled) == .stopRun)
        #expect(machine.refreshing() == .publish(.running))
        #expect(machine.concluded(.finished) == .endAsStopped(.cancelled))
        #expect(machine.phase == .running)
        #expect(machine.stopped() == .publish(.cancelled))
    }

    // MARK: - Late events

    @Test("A conclusion counts once")
    func concludedTwice() {
        var machine = RequestMachine()
        _ = machine.start()
        #expect(machine.concluded(.failed) == .none)
        _ = machine.entered()
        #expect(machine.concluded(.failed) == .end)
        #expect(machine.concluded(.finished) == .none)
        #expect(machine.stopped() == .publish(.failed))
        #expect(machine.concluded(.finished) == .none)
        #expect(machine.stopped() == .none)
        #expect(machine.conclusion == .failed)
    }

    @Test func `what everyone has left says that the client was shut down, where that comes before its end`() {
        var machine = RequestMachine()
        _ = machine.start()
        _ = machine.entered()
        _ = machine.join()
        _ = machine.left()
        #expect(machine.stopReason == .abandoned)
        _ = machine.stop(.clientShutDown)
        #expect(machine.stopReason == .clientShutDown)
        #expect(machine.concluded(.failed) == .endAsStopped(.clientShutDown))
    }
}
