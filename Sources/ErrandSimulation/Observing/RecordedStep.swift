/// One step of a recorded run: a job, or a jump of the clock.
struct RecordedStep: Sendable {
    /// The number of the job among all that have become ready in its run; -1 for a jump of the clock.
    let arrival: Int
    /// A name that is the same in every run of the class.
    let label: UInt64
    /// The index of the step in which the job became ready; -1 if it was ready before the first.
    let creator: Int
    var footprint = Footprint()

    var isJump: Bool { self.arrival < 0 }
}
