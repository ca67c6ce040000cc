/// Something that tasks share: two steps that use it, one of them for writing, depend on each other.
///
/// The key follows from the step that created the shared thing, so that it is the same in every run of the class.
struct Resource: Hashable, Sendable {
    let key: UInt64

    /// The state of the main actor.
    static let mainActor = Resource(kind: 2)
    /// The time and the sleepers of test clocks.
    static let clock = Resource(kind: 3)
    /// The lines of the trace.
    static let trace = Resource(kind: 4)
    /// The sequence of random numbers.
    static let random = Resource(kind: 5)
    /// The events of recorded histories.
    static let history = Resource(kind: 6)

    /// A task: what it does next, its flags and its result.
    static func task(_ label: UInt64) -> Resource { Resource(kind: 16, label) }
    /// The scopes of a task, in which an `async let` ends.
    static func scope(_ label: UInt64) -> Resource { Resource(kind: 17, label) }
    /// An actor: its state and its queue.
    static func actor(_ label: UInt64) -> Resource { Resource(kind: 18, label) }
    /// A lock with what it protects.
    static func lock(_ identity: UInt64) -> Resource { Resource(kind: 19, identity) }
    /// The random sequence of a fault point.
    static func fault(_ name: String) -> Resource { Resource(kind: 20, SplitMix64.hash(name)) }
    /// Something that the scenario declares.
    static func declared(_ name: String) -> Resource { Resource(kind: 21, SplitMix64.hash(name)) }

    private init(kind: UInt64, _ label: UInt64 = 0) {
        self.key = Self.mix(kind, label)
    }

    /// Combines two numbers into one that depends on both and their order.
    static func mix(_ first: UInt64, _ second: UInt64) -> UInt64 {
        SplitMix64.mix(SplitMix64.mix(first &+ 0x5F0E) &* 31 &+ second)
    }
}
