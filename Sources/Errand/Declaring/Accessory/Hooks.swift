/// The accessories of one piece of work, called in order.
///
/// With no accessory there is nothing to build and nothing to await: callers check ``isEmpty`` first.
package struct Hooks: Sendable {
    /// Who is called for what; each list is in the order of all.
    private final class Table: Sendable {
        let all: [any Accessory]
        let willStart: [any Accessory]
        let didStart: [any Accessory]
        let willStop: [any Accessory]
        let didStop: [any Accessory]
        let notices: [any Accessory]
        let otherEvents: [any Accessory]
        /// Whether one of the hooks may wait for something.
        let mayWait: Bool

        init(_ accessories: [any Accessory]) {
            let used = accessories.map { (accessory: $0, hooks: ($0 as? any SelectiveAccessory)?.usedHooks ?? .all) }
            func list(_ hook: UsedHooks) -> [any Accessory] {
                used.filter { $0.hooks.contains(hook) }.map(\.accessory)
            }
            self.all = accessories
            self.willStart = list(.willStart)
            self.didStart = list(.didStart)
            self.willStop = list(.willStop)
            self.didStop = list(.didStop)
            self.notices = list(.notices)
            self.otherEvents = list(.otherEvents)
            self.mayWait = accessories.contains { !($0 is any SelectiveAccessory) }
        }
    }

    private let table: Table

    package init(_ accessories: [any Accessory]) {
        self.table = Table(accessories)
    }

    /// The same, and others after them.
    package func adding(_ accessories: [any Accessory]) -> Hooks {
        accessories.isEmpty ? self : Hooks(self.table.all + accessories)
    }

    package var isEmpty: Bool { self.table.all.isEmpty }

    /// Whether one of them may wait for something: then a stop has to reach it, and nothing else may.
    package var mayWait: Bool { self.table.mayWait }

    /// Who is told that a piece of work was suspended, or goes on.
    func suspensionObserver(of activity: Activity) -> @Sendable (Bool) -> Void {
        { self.observe($0 ? .suspended : .resumed, of: activity) }
    }

    @inline(never)
    package func willStart(_ activity: Activity) async {
        for accessory in self.table.willStart { await accessory.willStart(activity) }
    }

    @inline(never)
    package func didStart(_ activity: Activity) async {
        for accessory in self.table.didStart { await accessory.didStart(activity) }
    }

    @inline(never)
    package func willStop(_ activity: Activity, _ end: Activity.End) async {
        for accessory in self.table.willStop { await accessory.willStop(activity, end) }
    }

    @inline(never)
    package func didStop(_ activity: Activity, _ end: Activity.End) async {
        for accessory in self.table.didStop { await accessory.didStop(activity, end) }
    }

    package func observe(_ event: @autoclosure () -> Activity.Event, of activity: @autoclosure () -> Activity?) {
        guard !self.isEmpty, let activity = activity() else { return }
        let event = event()
        let accessories = if case .notice = event { self.table.notices } else { self.table.otherEvents }
        for accessory in accessories { accessory.observe(event, of: activity) }
    }
}

/// An accessory that says in which hooks it has something to do, so that the time of the others is saved, and that
/// waits in none of them.
///
/// For those that are attached to everything an app sends; the others are called for everything.
package protocol SelectiveAccessory: Accessory {
    /// The hooks it has; what is left out here is not called.
    var usedHooks: UsedHooks { get }
}

/// Some of what accessories are called for.
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
