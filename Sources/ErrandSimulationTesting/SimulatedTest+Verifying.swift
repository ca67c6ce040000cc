internal import ErrandSimulation
internal import Testing

extension SimulatedTest {
    /// Runs the body under one schedule of each class, and records a failure, or that not all classes were run.
    func verify() async throws {
        guard case .verify(let schedules, let sharing, let time, let seed, let points) = self.plan.kind else { return }
        guard schedules > 0 else {
            self.complain("`schedules: \(schedules)` runs no schedule: there must be at least one.")
            return
        }
        let (isFirst, count) = (FirstTime(), max(schedules, self.settings.schedules ?? 0))
        let verify = {
            let verification = try await Simulation.verify(
                schedules: count, sharing: sharing, time: time, seed: seed, reach: self.plan.reach,
                limits: self.plan.limits, points: points
            ) { _ in
                try await IssueSink(showing: isFirst.take() ? .others : .nothing).collect(self.body)
            }
            self.note(verification, sharing)
        }
        try await self.recordingFailure {
            do {
                // It needs no more time than it takes, but the others wait for their shares.
                guard let shared = self.time else { return try await verify() }
                try await shared.share(with: self.test) { _ in try await verify() }
            } catch let error as SimulationError {
                self.complain(error.description)
            }
        }
    }

    private func note(_ verification: Simulation.Verification, _ sharing: Simulation.Sharing) {
        self.report(CaseResult(of: self.test, schedules: verification.classes + verification.cutSchedules))
        if !verification.isComplete {
            let advice = sharing == .seen ? "or raise the bound" : "raise the bound, or see `sharing: .seen`"
            self.complain("The test is not verified: it has \(verification). Make it smaller, \(advice).")
        } else if !verification.unreachedPoints.isEmpty || verification.isSharingUnavailable {
            self.complain("The test is verified: it has \(verification).", .warning)
        }
    }
}
