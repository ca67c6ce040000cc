public import Errand
internal import ErrandLocks

/// An accessory that keeps everything it is told, for tests to look at.
public final class EventRecorder: Accessory {
    /// What was called.
    public enum Call: Sendable {
        /// The work was started.
        case willStart
        /// The work shows as running.
        case didStart
        /// The outcome is settled.
        case willStop(RequestActivity.End)
        /// The work is over.
        case didStop(RequestActivity.End)
        /// Something happened in between.
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

    /// One call.
    public struct Entry: Sendable {
        /// What it was about.
        public let activity: RequestActivity
        /// What was called.
        public let call: Call
    }

    private let state = Locked<[Entry]>([])

    /// Creates a recorder.
    public init() {}

    /// All calls, in order.
    public var entries: [Entry] { self.state.withLock { $0 } }

    /// The names of the hooks and events of one piece of work, in order.
    public func names(of id: RequestID) -> [String] {
        self.entries.filter { $0.activity.id == id }.map(\.call.name)
    }

    /// The names of the hooks of one piece of work, in order, without the events in between.
    public func hooks(of id: RequestID) -> [String] {
        self.entries.filter { $0.activity.id == id }.compactMap {
            if case .event = $0.call { nil } else { $0.call.name }
        }
    }

    /// The ids of all work of a kind, in the order in which it was started.
    public func ids(of kind: RequestActivity.Kind) -> [RequestID] {
        self.entries.compactMap {
            if case .willStart = $0.call, $0.activity.kind == kind { $0.activity.id } else { nil }
        }
    }

    /// How one piece of work ended, if it did.
    public func end(of id: RequestID) -> RequestActivity.End? {
        for entry in self.entries where entry.activity.id == id {
            if case .didStop(let end) = entry.call { return end }
        }
        return nil
    }

    // MARK: - Accessory

    /// Keeps the call.
    public func willStart(_ activity: RequestActivity) { self.keep(activity, .willStart) }
    /// Keeps the call.
    public func didStart(_ activity: RequestActivity) { self.keep(activity, .didStart) }
    /// Keeps the call.
    public func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.keep(activity, .willStop(end))
    }
    /// Keeps the call.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        self.keep(activity, .didStop(end))
    }
    /// Keeps the event.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        self.keep(activity, .event(event))
    }

    private func keep(_ activity: RequestActivity, _ call: Call) {
        self.state.withLock { $0.append(Entry(activity: activity, call: call)) }
    }
}
