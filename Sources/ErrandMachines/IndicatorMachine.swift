/// An activity indicator that hides brief work and does not flicker.
///
/// The machine counts the work in progress. When work begins it waits before it shows the indicator, so that brief work
/// is never shown. When the last work ends it waits before it hides the indicator, so that work that begins again at
/// once does not make it flicker.
package struct IndicatorMachine: ~Copyable {
    /// Identifies a timer, so that an obsolete one that fires late is a no-op.
    package typealias Timer = UInt64

    package enum Delay: Equatable, Sendable {
        /// The delay before the indicator is shown.
        case activation
        /// The delay before the indicator is hidden.
        case completion
    }

    private enum State {
        /// The indicator is hidden and no timer is running. Goes to `delayingStart` when work begins.
        case hidden
        /// Work has begun. When the timer fires, goes to `visible`, or back to `hidden` if all work has ended.
        case delayingStart(Timer)
        /// The indicator is shown. Goes to `delayingEnd` when the last work ends.
        case visible
        /// No work is left. Goes back to `visible` when work begins, to `hidden` when the timer fires.
        case delayingEnd(Timer)
    }

    /// The actions for the owner to carry out, in this order.
    package struct Action: Equatable, Sendable {
        /// True if the running timer is no longer needed.
        package var cancelsTimer = false
        /// The timer to start, with its delay.
        package var timer: Timer?
        package var delay: Delay?
        /// The new visibility; `nil` if it did not change.
        package var isVisible: Bool?

        static let none = Action()

        static func start(_ timer: Timer, _ delay: Delay) -> Action {
            Action(timer: timer, delay: delay)
        }
    }

    private var state = State.hidden
    private var lastTimer: Timer = 0
    /// The amount of work in progress, also counted while disabled.
    package private(set) var count = 0
    /// Indicates whether the indicator may be shown at all.
    package private(set) var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// True while the indicator is shown.
    package var isVisible: Bool {
        switch self.state {
        case .hidden, .delayingStart: false
        case .visible, .delayingEnd: true
        }
    }

    // MARK: - Events

    /// Work has begun.
    package mutating func began() -> Action {
        self.count += 1
        return self.look()
    }

    /// Work has ended.
    package mutating func ended() -> Action {
        precondition(self.count > 0, "ended without having begun")
        self.count -= 1
        return self.look()
    }

    /// Enables or disables the indicator.
    ///
    /// Disabling hides it at once; enabling begins anew with the work in progress.
    package mutating func enabled(_ isEnabled: Bool) -> Action {
        guard isEnabled != self.isEnabled else { return .none }
        self.isEnabled = isEnabled
        guard !isEnabled else { return self.look() }
        defer { self.state = .hidden }
        switch self.state {
        case .hidden: return .none
        case .delayingStart: return Action(cancelsTimer: true)
        case .visible: return Action(isVisible: false)
        case .delayingEnd: return Action(cancelsTimer: true, isVisible: false)
        }
    }

    /// A timer fired.
    ///
    /// An obsolete timer is a no-op.
    package mutating func fired(_ timer: Timer) -> Action {
        switch self.state {
        case .delayingStart(timer):
            guard self.count > 0 else {
                self.state = .hidden
                return .none
            }
            self.state = .visible
            return Action(isVisible: true)
        case .delayingEnd(timer):
            self.state = .hidden
            return Action(isVisible: false)
        case .hidden, .delayingStart, .visible, .delayingEnd:
            return .none
        }
    }

    private mutating func look() -> Action {
        guard self.isEnabled else { return .none }
        switch self.state {
        case .hidden:
            guard self.count > 0 else { return .none }
            let timer = self.nextTimer()
            self.state = .delayingStart(timer)
            return .start(timer, .activation)
        case .delayingStart:
            return .none
        case .visible:
            guard self.count == 0 else { return .none }
            let timer = self.nextTimer()
            self.state = .delayingEnd(timer)
            return .start(timer, .completion)
        case .delayingEnd:
            guard self.count > 0 else { return .none }
            self.state = .visible
            return Action(cancelsTimer: true)
        }
    }

    private mutating func nextTimer() -> Timer {
        self.lastTimer += 1
        return self.lastTimer
    }
}
