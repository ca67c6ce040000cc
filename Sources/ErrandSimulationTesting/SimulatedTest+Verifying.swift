internal import ErrandSimulation
internal import Testing

extension SimulatedTest {
    /// Runs the body under one schedule of each class, and records a failure, or that not all classes were run.
    func verify() async throws {
        guard case .verify(let schedules, let sharing, let time, let seed, let points) = self.plan.kind else { return }
        guard schedules > 0 else {
            self.complain("`schedules: \(schedules)` runs nothing: there must be at least one.")
            return
        }
        let isFirst = FirstTime()
        try await self.recordingFailure {
            do {
                let verification = try await Simulation.verify(
                    schedules: max(schedules, self.settings.schedules ?? 0), sharing: sharing, time: time, seed: seed,
                    reach: self.plan.reach, limits: self.plan.limits, points: points
                ) { _ in
                    try await IssueSink(showing: isFirst.take() ? .others : .nothing).collect(self.body)
                }
                self.note(verification)
            } catch let error as SimulationError {
                self.complain(error.description)
            }
        }
    }

    private func note(_ verification: Simulation.Verification) {
        self.report(CaseResult(of: self.test, schedules: verification.classes + verification.cutSchedules))
        if !verification.isComplete {
            self.complain(
                "The test is not verified: it has \(verification). Make it smaller, raise the bound, or see "
                    + "`sharing: .seen`.")
        } else if !verification.unreachedPoints.isEmpty || verification.isSharingUnavailable {
            self.complain("The test is verified: it has \(verification).", .warning)
        }
    }
}
