internal import ErrandLocks
package import ErrandMachines

/// An object that can be woken.
///
/// Waking it a second time has no effect.
package protocol Wakeable: AnyObject, Sendable {
    func wake()
}

/// A suspended task, resumed exactly once: with a value, or because it was cancelled.
///
/// The resumer calls ``resume(_:)`` from any thread, before or after ``wait()`` starts; cancellation resumes the task
/// at once. The lock decides which of them is first, and the continuation is resumed outside of it.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value?, Never>)
        /// The value has not been received yet.
        case resumed(Value)
        /// The task has left, with or without the value: no value is kept.
        case left
    }

    private let state = Locked<State>(.idle)

    package init() {}

    /// Suspends until there is a value, or returns `nil` as soon as the waiting task is cancelled.
    ///
    /// Called once.
    package func wait() async -> Value? {
        await withTaskCancellationHandler {
            await self.waitThroughCancellation()
        } onCancel: {
            let continuation: CheckedContinuation<Value?, Never>? = self.state.withLock { state in
                switch state {
                case .idle:
                    state = .left
                    return nil
                case .waiting(let continuation):
                    state = .left
                    return continuation
                case .resumed, .left:
                    return nil
                }
            }
            continuation?.resume(returning: nil)
        }
    }

    /// Suspends until there is a value, even in a task that is cancelled.
    ///
    /// Called once.
    package func waitThroughCancellation() async -> Value? {
        await withCheckedContinuation { continuation in
            let ready: Value?? = self.state.withLock { state in
                switch state {
                case .idle:
                    state = .waiting(continuation)
                    return nil
                case .resumed(let value):
                    state = .left
                    return .some(value)
                case .left, .waiting:
                    return .some(nil)
                }
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Passes on the value, and returns true if it will be received: not if the task has left or already has a value.
    @discardableResult
    package func resume(_ value: Value) -> Bool {
        let (accepted, continuation): (Bool, CheckedContinuation<Value?, Never>?) = self.state.withLock { state in
            switch state {
            case .idle:
                state = .resumed(value)
                return (true, nil)
            case .waiting(let continuation):
                state = .left
                return (true, continuation)
            case .resumed, .left:
                return (false, nil)
            }
        }
        continuation?.resume(returning: value)
        return accepted
    }
}

extension Waiter: Wakeable, Stoppable where Value == Void {
    package func wake() {
        self.resume(())
    }

    package func stop(_ reason: StopReason) {
        self.resume(())
    }
}
