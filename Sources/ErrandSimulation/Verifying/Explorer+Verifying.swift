extension Explorer {
    /// The number of schedules between two reports of the progress.
    private static let reportedSchedules = 100

    /// Runs one schedule of each class.
    ///
    /// - Throws: `SimulationFailure` for the first that fails; `SimulationError` if the scenario cannot be verified;
    ///   `CancellationError` if the caller is cancelled.
    func verify(_ plan: VerificationPlan) async throws -> Simulation.Verification {
        let (isAvailable, start) = (StepRecorder.isAvailable, ContinuousClock.now)
        var (verification, runs) = (Simulation.Verification(), 0)
        verification.sharing = isAvailable ? plan.sharing : .unseen
        verification.isSharingUnavailable = plan.sharing == .seen && !isAvailable
        let isFull = verification.sharing == .unseen
        var (search, unreached) = (VerificationSearch(isFull: isFull), plan.points)
        try await self.rehearse(plan, isRecording: isAvailable)
        while !search.isComplete {
            verification.bound = plan.bound(after: runs, ContinuousClock.now - start)
            if verification.bound != nil { break }
            let recorder = isFull ? nil : StepRecorder(rules: plan.rules)
            let record = await self.run(search.policy(recorder), seed: plan.seed, observer: recorder)
            guard let policy = record.decided.policy as? VerificationPolicy else { break }
            runs += 1
            if !policy.isCut { try await self.check(record, recorder?.run, number: runs) }
            verification.note(record, isCut: policy.isCut)
            unreached.removeAll { record.points.contains($0) }
            let hasEnded = record.ending == .ended && plan.rules.contains(.ending)
            search.ran(policy, recorder?.run, hasEnded: hasEnded)
            if runs % Self.reportedSchedules == 0 {
                plan.progress?(verification.progress(elapsed: ContinuousClock.now - start))
            }
        }
        verification.unreachedPoints = unreached
        return verification
    }

    /// Estimates the number of schedules by random probes.
    ///
    /// - Throws: `SimulationFailure` for the first that fails; `CancellationError` if the caller is cancelled.
    func estimate(probes: Int, seed: UInt64) async throws -> Simulation.ScheduleEstimate {
        var sum = 0.0
        for probe in 0..<probes {
            let record = await self.run(ProbePolicy(seed: seed &+ UInt64(probe)), seed: seed)
            try await self.check(record, number: probe + 1)
            sum += (record.decided.policy as? ProbePolicy)?.product ?? 0
        }
        return Simulation.ScheduleEstimate(schedules: sum / Double(probes), probes: probes)
    }

    /// Runs the default order once, so that what the process initializes lazily is the same for all schedules.
    private func rehearse(_ plan: VerificationPlan, isRecording: Bool) async throws {
        let recorder = isRecording ? StepRecorder() : nil
        let policy = VerificationPolicy(path: [], sleepers: [], recorder: nil)
        let record = await self.run(policy, seed: plan.seed, observer: recorder)
        try await self.check(record, recorder?.run, number: 1)
    }

    private func check(_ record: RunRecord, _ run: RecordedRun?, number: Int) async throws {
        try Task.checkCancellation()
        if let run, run.strays > 0 { throw SimulationError.unverifiable(record, run) }
        if record.decided.escapes.count > 0 { throw SimulationError.unverifiable(record, nil) }
        if record.ending == .misfit { throw SimulationError.misfit(record) }
        try await self.check(record, number: number)
    }
}

extension VerificationPlan {
    /// Returns the bound that a verification has reached, or `nil`.
    fileprivate func bound(after runs: Int, _ elapsed: Duration) -> Simulation.Verification.Bound? {
        if runs >= self.schedules { return .schedules(self.schedules) }
        return self.time.flatMap { elapsed >= $0 ? .time($0) : nil }
    }
}

extension Simulation.Verification {
    fileprivate mutating func note(_ record: RunRecord, isCut: Bool) {
        if isCut { self.cutSchedules += 1 } else { self.classes += 1 }
        self.largestSteps = max(self.largestSteps, record.steps)
    }

    fileprivate func progress(elapsed: Duration) -> Simulation.VerificationProgress {
        Simulation.VerificationProgress(
            classes: self.classes, schedules: self.classes + self.cutSchedules, elapsed: elapsed)
    }
}
