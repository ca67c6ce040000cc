/// The bounds and options of a verification.
struct VerificationPlan: Sendable {
    let schedules: Int
    let sharing: Simulation.Sharing
    let time: Duration?
    let seed: UInt64
    let points: [String]
    var rules = SharingRules.all
    var progress: (@Sendable (Simulation.VerificationProgress) -> Void)?
}
