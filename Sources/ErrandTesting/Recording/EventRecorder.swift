public import Errand
internal import ErrandLocks

/// An accessory that records all its calls, for tests to inspect.
public final class EventRecorder: Accessory {
    /// A call of the accessory.
    public enum Call: Sendable {
        /// The activity was started.
        case willStart
        /// The activity is visibly running.
        case didStart
        /// The outcome is settled.
        case willStop(RequestActivity.End)
        /// The activity has ended.
        case didStop(RequestActivity.End)
        /// An intermediate event.
        case event(RequestActivity.Event)

        /// The name of the hook, or of the event.
        public var name: String {
            switch self {
            case .willStart: "willStart"
            case .didStart: "didStart"
            case .willStop: "willStop"
            case .didStop: "didStop"
            case .event(let event): String("\(event)".prefix { $0 != "(" })
            }
        }
    }

    /// A recorded call.
    public struct Entry: Sendable {
        /// The activity of the call.
        public let activity: RequestActivity
        /// The call.
        public let call: Call
    }

    private let state = Locked<[Entry]>([])

    /// Creates a recorder.
    public init() {}

    /// All calls, in order.
    public var entries: [Entry] { self.state.withLock { $0 } }

    /// Returns the names of the hooks and events of an activity, in order.
    public func names(of id: RequestID) -> [String] {
        self.entries.filter { $0.activity.id == id }.map(\.call.name)
    }

    /// Returns the names of the hooks of an activity, in order, without the events in between.
    public func hooks(of id: RequestID) -> [String] {
        self.entries.filter { $0.activity.id == id }.compactMap {
            if case .event = $0.call { nil } else { $0.call.name }
        }
    }

    /// Returns the ids of all activities of a kind, in the order in which they started.
    public func ids(of kind: RequestActivity.Kind) -> [RequestID] {
        self.entries.compactMap {
            if case .willStart = $0.call, $0.activity.kind == kind { $0.activity.id } else { nil }
        }
    }

    /// Returns the end of an activity, if it has ended.
    public func end(of id: RequestID) -> RequestActivity.End? {
        for entry in self.entries where entry.activity.id == id {
            if case .didStop(let end) = entry.call { return end }
        }
        return nil
    }

    // MARK: - Accessory

    /// Records the call.
    public func willStart(_ activity: RequestActivity) { self.keep(activity, .willStart) }
    /// Records the call.
    public func didStart(_ activity: RequestActivity) { self.keep(activity, .didStart) }
    /// Records the call.
    public func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.keep(activity, .willStop(end))
    }
    /// Records the call.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.keep(activity, .didStop(end))
    }
    /// Records the event.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.keep(activity, .event(event))
    }

    private func keep(_ activity: RequestActivity, _ call: Call) {
        self.state.withLock { $0.append(Entry(activity: activity, call: call)) }
    }
}
