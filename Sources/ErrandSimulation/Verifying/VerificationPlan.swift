/// The bounds and options of a verification.
struct VerificationPlan: Sendable {
    let schedules: Int
    let sharing: Simulation.Sharing
    let time: Duration?
    let seed: UInt64
    let points: [String]
    var rules = SharingRules.all
    /// True if this process can record all that steps share, as `Sharing.seen` needs.
    var isSharingSeen = StepRecorder.isAvailable && StepRecorder.seesLocks
    var progress: (@Sendable (Simulation.VerificationProgress) -> Void)?
}
