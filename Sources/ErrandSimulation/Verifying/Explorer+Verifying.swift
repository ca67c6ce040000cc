extension Explorer {
    /// The number of schedules between two reports of the progress.
    private static let reportedSchedules = 100

    /// The number of times that a search begins again after a run that did not repeat the steps of an earlier one.
    ///
    /// The process may have initialized a lazy value in between.
    private static let mostRestarts = 4

    /// Runs one schedule of each class.
    ///
    /// - Throws: `SimulationFailure` for the first that fails; `SimulationError` if the scenario cannot be verified;
    ///   `CancellationError` if the caller is cancelled.
    func verify(_ plan: VerificationPlan) async throws -> Simulation.Verification {
        let start = ContinuousClock.now
        var (verification, runs, restarts) = (Simulation.Verification(plan), 0, 0)
        let isFull = verification.sharing == .unseen
        var (search, unreached) = (VerificationSearch(isFull: isFull), plan.points)
        let rehearsal = try await self.rehearse(plan)
        var first: RecordedRun?
        while !search.isComplete {
            verification.bound = plan.bound(after: runs, ContinuousClock.now - start)
            if verification.bound != nil { break }
            let recorder = Self.recorder(plan.rules, isFull: isFull)
            let record = await self.run(search.policy(recorder), seed: plan.seed, observer: recorder)
            guard let policy = record.decided.policy as? VerificationPolicy else { break }
            runs += 1
            let hasEnded = record.ending == .ended && !policy.isCut && plan.rules.contains(.ending)
            let isMisfit = record.ending == .misfit
            if !isMisfit {
                try await self.check(record, recorder?.run, number: runs)
                search.ran(policy, recorder?.run, hasEnded: hasEnded)
            }
            if isMisfit || search.hasDiverged {
                guard restarts < Self.mostRestarts else { throw SimulationError.misfit(record) }
                restarts += 1
                search = VerificationSearch(isFull: isFull)
                (verification.classes, verification.cutSchedules) = (0, 0)
                continue
            }
            if verification.classes == 0 {
                first = recorder?.run
                guard record.isSame(as: rehearsal) else { throw SimulationError.leftover(record) }
            }
            verification.note(record, plan, isCut: policy.isCut)
            unreached.removeAll { record.points.contains($0) }
            if runs % Self.reportedSchedules == 0 {
                plan.progress?(verification.progress(elapsed: ContinuousClock.now - start))
            }
        }
        verification.unreachedPoints = unreached
        guard search.isComplete else { return verification }
        try await self.confirm(verification, (rehearsal, first), plan, runs: runs, since: start)
        verification.isComplete = true
        return verification
    }

    /// Looks for what makes a complete verification void: a default order that is not that of the first schedule, and
    /// random schedules that fail, although one of each class was run.
    private func confirm(
        _ verification: Simulation.Verification, _ first: (record: RunRecord, run: RecordedRun?),
        _ plan: VerificationPlan, runs: Int, since start: ContinuousClock.Instant
    ) async throws {
        let recorder = Self.recorder(plan.rules, isFull: verification.sharing == .unseen)
        let policy = VerificationPolicy(path: [], sleepers: [], recorder: nil)
        let record = await self.run(policy, seed: plan.seed, observer: recorder)
        try await self.check(record, recorder?.run, number: runs + 1)
        guard record.isSame(as: first.record) else { throw SimulationError.misfit(record) }
        if let earlier = first.run, let run = recorder?.run, !run.isSame(as: earlier) {
            throw SimulationError.misfit(record)
        }
        guard verification.sharing == .seen else { return }
        var estimates = TaskEstimates()
        for number in 0..<plan.samples {
            if let time = plan.time, ContinuousClock.now - start >= time { return }
            let policy = Simulation.Strategy.mixed.policy(number: number, seed: UInt64(number), estimates: estimates)
            let record = await self.run(policy, seed: plan.seed)
            try Task.checkCancellation()
            if record.failure != nil {
                var failure = await self.failure(of: record, number: runs + number + 2)
                failure.contradictsProof = failure.isRepeatable
                throw failure
            }
            estimates.note(record.decided.places, steps: record.decided.log.count)
        }
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
    ///
    /// A lock that is created in it may be one of the process, like those of earlier tests.
    private func rehearse(_ plan: VerificationPlan) async throws -> RunRecord {
        let recorder = Self.recorder(
            plan.rules, isFull: !plan.isSharingSeen || plan.sharing == .unseen, namesLocks: false)
        let policy = VerificationPolicy(path: [], sleepers: [], recorder: nil)
        let record = await self.run(policy, seed: plan.seed, observer: recorder)
        try await self.check(record, recorder?.run, number: 1)
        return record
    }

    /// Returns the recorder of a run, or `nil` if recording is not available; a full search only needs the tasks that
    /// a run creates, and the labels of its steps.
    private static func recorder(_ rules: SharingRules, isFull: Bool, namesLocks: Bool = true) -> StepRecorder? {
        guard StepRecorder.isAvailable else { return nil }
        return StepRecorder(rules: rules, retainsTasks: !isFull, namesLocks: namesLocks)
    }

    private func check(_ record: RunRecord, _ run: RecordedRun?, number: Int) async throws {
        try Task.checkCancellation()
        if let run, run.isIncomplete { throw SimulationError.unverifiable(record, run) }
        if record.decided.escapes.count > 0 { throw SimulationError.unverifiable(record, nil) }
        try await self.check(record, number: number)
    }
}

extension RunRecord {
    /// Returns whether the run made the same choices and reached the same points as another.
    fileprivate func isSame(as other: RunRecord) -> Bool {
        self.decided.log.fingerprint == other.decided.log.fingerprint && self.points == other.points
    }
}

extension RecordedRun {
    /// Returns whether the steps of the run, and what they used, are the same as those of another.
    fileprivate func isSame(as other: RecordedRun) -> Bool {
        self.steps.count == other.steps.count
            && zip(self.steps, other.steps).allSatisfy { $0.label == $1.label && $0.footprint.isSame(as: $1.footprint) }
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
    /// Creates the result of a verification that has not run a schedule.
    fileprivate init(_ plan: VerificationPlan) {
        self.seed = plan.seed
        self.sharing = plan.isSharingSeen ? plan.sharing : .unseen
        self.isSharingUnavailable = plan.sharing == .seen && !plan.isSharingSeen
    }

    fileprivate mutating func note(_ record: RunRecord, _ plan: VerificationPlan, isCut: Bool) {
        if isCut { self.cutSchedules += 1 } else { self.classes += 1 }
        self.largestSteps = max(self.largestSteps, record.steps)
        if record.usedChance { self.usesChance = true }
        let undeclared = plan.points.isEmpty ? [] : record.points.subtracting(plan.points + self.undeclaredPoints)
        if !undeclared.isEmpty { self.undeclaredPoints = (self.undeclaredPoints + undeclared).sorted() }
    }

    fileprivate func progress(elapsed: Duration) -> Simulation.VerificationProgress {
        Simulation.VerificationProgress(
            classes: self.classes, schedules: self.classes + self.cutSchedules, elapsed: elapsed)
    }
}
