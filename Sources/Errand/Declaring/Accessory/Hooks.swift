/// The accessories of an activity, called in order.
///
/// Callers check ``isEmpty`` first: without accessories, there is no value to build and no call to await.
package struct Hooks: Sendable {
    /// An accessory, synchronous or asynchronous.
    private enum Entry: Sendable {
        case prompt(any Accessory)
        case waiting(any AsyncAccessory)

        init(_ accessory: any Accessory) {
            self = if let waiting = accessory as? any AsyncAccessory { .waiting(waiting) } else { .prompt(accessory) }
        }

        var mayWait: Bool {
            if case .waiting = self { true } else { false }
        }
    }

    /// The accessories for each hook, in the order given.
    private final class Table: Sendable {
        let all: [any Accessory]
        let willStart: [Entry]
        let didStart: [Entry]
        let willStop: [Entry]
        let didStop: [Entry]
        let notices: [any Accessory]
        let otherEvents: [any Accessory]
        /// True if one of the hooks may suspend.
        let mayWait: Bool

        init(_ accessories: [any Accessory]) {
            let used = accessories.map { accessory in
                let hooks = (accessory as? any SelectiveAccessory)?.usedHooks ?? .all
                return (accessory: accessory, entry: Entry(accessory), hooks: hooks)
            }
            func entries(_ hook: UsedHooks) -> [Entry] {
                used.filter { $0.hooks.contains(hook) }.map(\.entry)
            }
            func observers(_ hook: UsedHooks) -> [any Accessory] {
                used.filter { $0.hooks.contains(hook) }.map(\.accessory)
            }
            self.all = accessories
            self.willStart = entries(.willStart)
            self.didStart = entries(.didStart)
            self.willStop = entries(.willStop)
            self.didStop = entries(.didStop)
            self.notices = observers(.notices)
            self.otherEvents = observers(.otherEvents)
            self.mayWait = used.contains { $0.entry.mayWait }
        }
    }

    private let table: Table

    package init(_ accessories: [any Accessory]) {
        self.table = Table(accessories)
    }

    /// Returns the hooks followed by those of more accessories.
    package func adding(_ accessories: [any Accessory]) -> Hooks {
        accessories.isEmpty ? self : Hooks(self.table.all + accessories)
    }

    package var isEmpty: Bool { self.table.all.isEmpty }

    /// True if one of the hooks may suspend: then a stop has to reach it, and only a stop.
    package var mayWait: Bool { self.table.mayWait }

    /// Returns the function that reports suspending and resuming of an activity.
    func suspensionObserver(of activity: RequestActivity) -> @Sendable (Bool) -> Void {
        { self.observe($0 ? .suspended : .resumed, of: activity) }
    }

    @inline(never)
    package func willStart(_ activity: RequestActivity) async {
        for entry in self.table.willStart {
            switch entry {
            case .prompt(let accessory): accessory.willStart(activity)
            case .waiting(let accessory): await accessory.willStart(activity)
            }
        }
    }

    @inline(never)
    package func didStart(_ activity: RequestActivity) async {
        for entry in self.table.didStart {
            switch entry {
            case .prompt(let accessory): accessory.didStart(activity)
            case .waiting(let accessory): await accessory.didStart(activity)
            }
        }
    }

    @inline(never)
    package func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
        for entry in self.table.willStop {
            switch entry {
            case .prompt(let accessory): accessory.willStop(activity, end)
            case .waiting(let accessory): await accessory.willStop(activity, end)
            }
        }
    }

    @inline(never)
    package func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
        for entry in self.table.didStop {
            switch entry {
            case .prompt(let accessory): accessory.didStop(activity, end)
            case .waiting(let accessory): await accessory.didStop(activity, end)
            }
        }
    }

    package func observe(
        _ event: @autoclosure () -> RequestActivity.Event, of activity: @autoclosure () -> RequestActivity?
    ) {
        guard !self.isEmpty, let activity = activity() else { return }
        let event = event()
        let accessories = if case .notice = event { self.table.notices } else { self.table.otherEvents }
        for accessory in accessories { accessory.observe(event, of: activity) }
    }
}

/// An accessory that declares which hooks it implements, to save the calls to the others.
///
/// For accessories that are attached to all requests of an app. Other accessories are called for every hook.
package protocol SelectiveAccessory: Accessory {
    /// The implemented hooks; the others are not called.
    var usedHooks: UsedHooks { get }
}

/// A set of accessory hooks.
package struct UsedHooks: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let willStart = UsedHooks(rawValue: 1 << 0)
    package static let didStart = UsedHooks(rawValue: 1 << 1)
    package static let willStop = UsedHooks(rawValue: 1 << 2)
    package static let didStop = UsedHooks(rawValue: 1 << 3)
    package static let notices = UsedHooks(rawValue: 1 << 4)
    package static let otherEvents = UsedHooks(rawValue: 1 << 5)
    package static let all: UsedHooks = [.willStart, .didStart, .willStop, .didStop, .notices, .otherEvents]
}
