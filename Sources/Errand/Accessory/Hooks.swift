/// The accessories of one piece of work, called in order.
///
/// With no accessory there is nothing to build and nothing to await: callers check ``isEmpty`` first.
package struct Hooks: Sendable {
    private let accessories: [any Accessory]

    package init(client: [any Accessory], own: [any Accessory]) {
        self.accessories = own.isEmpty ? client : client + own
    }

    package var isEmpty: Bool { self.accessories.isEmpty }

    @inline(never)
    package func willStart(_ activity: Activity) async {
        for accessory in self.accessories { await accessory.willStart(activity) }
    }

    @inline(never)
    package func didStart(_ activity: Activity) async {
        for accessory in self.accessories { await accessory.didStart(activity) }
    }

    @inline(never)
    package func willStop(_ activity: Activity, _ end: ActivityEnd) async {
        for accessory in self.accessories { await accessory.willStop(activity, end) }
    }

    @inline(never)
    package func didStop(_ activity: Activity, _ end: ActivityEnd) async {
        for accessory in self.accessories { await accessory.didStop(activity, end) }
    }

    package func observe(_ event: @autoclosure () -> ActivityEvent, of activity: @autoclosure () -> Activity?) {
        guard !self.accessories.isEmpty, let activity = activity() else { return }
        let event = event()
        for accessory in self.accessories { accessory.observe(event, of: activity) }
    }
}
