/// A task of a recorded run.
struct ObservedTask: Sendable {
    /// A name that is the same in every run of the class.
    let label: UInt64
    /// Its address; it is alive if it is retained or has a job.
    let address: UInt
    let traits: TaskTraits
    /// The index of its parent, if it is a child.
    let parent: Int?
    /// True if it is retained, and its flags can be read at any time.
    var isRetained: Bool
    /// Its index in the tree of tasks, once it has had a job.
    var place: Int?
    var status: TaskStatus
    /// The number of its ready jobs.
    var readyJobs = 0
    /// The address of the actor at which it waits for its turn; zero if it does not.
    var queuedAt: UInt = 0
    /// True once an `async let` was started in one of its scopes.
    var hasScope = false
    /// True if it is an `async let` that may have ended, so that its memory may have another use.
    var mayBeGone = false

    /// True if it waits for something other than its turn, as far as is known.
    var isSuspended: Bool { self.readyJobs == 0 && self.queuedAt == 0 && !self.status.isComplete }
}
