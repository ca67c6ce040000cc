/// The bounds and options of a verification.
struct VerificationPlan: Sendable {
    let schedules: Int
    let sharing: Simulation.Sharing
    let time: Duration?
    let seed: UInt64
    let points: [String]
    var rules = SharingRules.all
    /// The number of random schedules that are run after all classes, to find sharing that was not seen.
    var samples = 100
    /// True if this process can record all that steps share, as `Sharing.seen` needs.
    var isSharingSeen = StepRecorder.isAvailable && StepRecorder.seesLocks
    var progress: (@Sendable (Simulation.VerificationProgress) -> Void)?
}
