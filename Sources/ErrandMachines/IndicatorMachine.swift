/// An indicator of activity: shows what lasts, and nothing of what is over at once.
///
/// It counts what is under way. When that begins it waits a moment before it shows, so that brief work shows nothing;
/// when that ends it waits before it hides, so that what begins again at once does not make it flicker.
package struct IndicatorMachine: ~Copyable {
    /// Tells a timer from those before it: one that fires late is a no-op.
    package typealias Timer = UInt64

    package enum Delay: Equatable, Sendable {
        /// Before it shows.
        case activation
        /// Before it hides.
        case completion
    }

    private enum State {
        /// Nothing shows, nothing is expected to. Goes to `delayingStart` when work begins.
        case hidden
        /// Work has begun. Goes to `visible`, or back to `hidden` if all of it has ended, when its timer fires.
        case delayingStart(Timer)
        /// It shows. Goes to `delayingEnd` when the last work ends.
        case visible
        /// No work is left. Goes back to `visible` when some begins, to `hidden` when its timer fires.
        case delayingEnd(Timer)
    }

    /// What the owner has to do, in this order.
    package struct Action: Equatable, Sendable {
        /// Whether the timer that runs is no longer needed.
        package var cancelsTimer = false
        /// The timer to start, and for which delay.
        package var timer: Timer?
        package var delay: Delay?
        /// What shows from now on, where that is something else than before.
        package var isVisible: Bool?

        static let none = Action()

        static func start(_ timer: Timer, _ delay: Delay) -> Action {
            Action(timer: timer, delay: delay)
        }
    }

    private var state = State.hidden
    private var lastTimer: Timer = 0
    /// How much is under way; counted when it is switched off, too.
    package private(set) var count = 0
    /// Whether it may show at all.
    package private(set) var isEnabled: Bool

    package init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Whether it shows.
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

    /// Work that had begun has ended.
    package mutating func ended() -> Action {
        precondition(self.count > 0, "ended without having begun")
        self.count -= 1
        return self.look()
    }

    /// It is switched on or off; off hides it at once, on begins anew with what is under way.
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

    /// A timer has fired; one that is no longer waited for is a no-op.
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
