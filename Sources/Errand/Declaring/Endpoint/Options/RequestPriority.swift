package import ErrandMachines

/// The priority of a request in the queue for a slot.
public enum RequestPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// After the others, but without starvation: the priority of waiting requests rises with age.
    case low
    /// The default.
    case normal
    /// Before the others.
    case high

    /// Orders by urgency.
    public static func < (one: RequestPriority, other: RequestPriority) -> Bool { one.rawValue < other.rawValue }

    package init(_ priority: TaskPriority) {
        if priority > .medium { self = .high } else if priority < .medium { self = .low } else { self = .normal }
    }

    package var admission: AdmissionMachine.Priority {
        switch self {
        case .low: .low
        case .normal: .normal
        case .high: .high
        }
    }
}
