/// Walks the tree of schedules so that each class of equivalent runs is run once.
///
/// This is dynamic partial-order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson and Sagonas, 2014)
/// by repeated runs: each job is a process of a single step. After each run, every pair of dependent steps that could
/// have come in the other order asks for a run in which they do. It stores only the current path.
struct VerificationSearch {
    /// A choice on the current path.
    private struct Node {
        let ready: [Int]
        var chosen: Int
        /// The jobs to run from here, in the order in which they were asked for.
        var wanted: [Int]
        /// The jobs not to run from here: those that were, and those whose runs are equivalent to earlier ones.
        var sleepers: [VerificationPolicy.Sleeper]
        /// The index of its step in the recorded run.
        var step = -1
        /// The label of its step; zero unless it was recorded.
        var label: UInt64 = 0
        /// The footprint of the chosen job; a barrier unless it was recorded.
        var footprint = Footprint.barrier
    }

    /// True if all schedules are run, each a class of its own.
    private let isFull: Bool
    private var nodes: [Node] = []
    /// The steps before this index were examined for races in an earlier run.
    private var examined = 0

    /// True once each class has been run.
    private(set) var isComplete = false
    /// True once a run did not repeat the steps of an earlier one: the search is not sound then.
    private(set) var hasDiverged = false

    /// Creates a search.
    ///
    /// - Parameter isFull: True if all steps depend on each other.
    init(isFull: Bool) {
        self.isFull = isFull
    }

    /// The policy of the schedule to run next.
    func policy(_ recorder: StepRecorder?) -> VerificationPolicy {
        let sleepers = self.isFull ? [] : self.nodes.last?.sleepers ?? []
        let path = self.nodes.map { VerificationPolicy.Repetition(arrival: $0.chosen, readyJobs: $0.ready.count) }
        return VerificationPolicy(path: path, sleepers: sleepers, recorder: recorder)
    }

    /// Moves to the next schedule after a run.
    ///
    /// - Parameters:
    ///   - policy: The policy of the run, with its choices.
    ///   - run: The recorded run, if there is one.
    ///   - hasEnded: True if the body has ended, so that the jobs that were ready then have not been run.
    mutating func ran(_ policy: VerificationPolicy, _ run: RecordedRun?, hasEnded: Bool) {
        // The step of the last choice of the path is new, too.
        let repeated = self.nodes.count - 1
        for choice in policy.choices {
            self.nodes.append(
                Node(
                    ready: choice.ready, chosen: choice.arrival,
                    wanted: self.isFull ? choice.ready : [choice.arrival], sleepers: choice.sleepers))
        }
        if let run {
            self.note(run, repeated: repeated)
            if !self.isFull, !self.hasDiverged { self.examine(run, hasEnded: hasEnded) }
        }
        self.advance()
    }

    // MARK: - Private helpers

    /// Notes the step of each choice, and compares those that were repeated with the earlier run.
    private mutating func note(_ run: RecordedRun, repeated: Int) {
        var node = 0
        for (index, step) in run.steps.enumerated() where !step.isJump {
            guard node < self.nodes.count else { break }
            let known = self.nodes[node]
            if node < repeated, known.label != step.label || !known.footprint.isSame(as: step.footprint) {
                self.hasDiverged = true
            }
            self.nodes[node].step = index
            self.nodes[node].label = step.label
            self.nodes[node].footprint = step.footprint
            node += 1
        }
        if node < self.nodes.count { self.hasDiverged = true }
    }

    private mutating func examine(_ run: RecordedRun, hasEnded: Bool) {
        // Steps without a choice come after the run was cut: they were examined in an equivalent one.
        var (steps, nodeOfStep, node) = ([RecordedStep](), [Int](), 0)
        for step in run.steps {
            if !step.isJump, node == self.nodes.count { break }
            steps.append(step)
            nodeOfStep.append(node)
            if !step.isJump { node += 1 }
        }
        let ordering = Ordering(steps)
        for race in ordering.races(from: self.examined) {
            self.want(oneOf: ordering.initials(reversing: race), at: nodeOfStep[race.first])
        }
        // The end keeps the others from running: each could have come before it.
        if hasEnded, let last = self.nodes.indices.last {
            for arrival in self.nodes[last].ready { self.want(oneOf: [arrival], at: last) }
        }
    }

    private mutating func want(oneOf arrivals: [Int], at index: Int) {
        let node = self.nodes[index]
        if arrivals.contains(where: { arrival in
            node.wanted.contains(arrival) || node.sleepers.contains { $0.arrival == arrival }
        }) {
            return
        }
        if let arrival = arrivals.first { self.nodes[index].wanted.append(arrival) }
    }

    /// Moves to the next wanted job of the deepest choice that has one.
    private mutating func advance() {
        while var node = self.nodes.popLast() {
            node.sleepers.append(VerificationPolicy.Sleeper(arrival: node.chosen, footprint: node.footprint))
            if let next = node.wanted.first(where: { arrival in !node.sleepers.contains { $0.arrival == arrival } }) {
                self.examined = max(node.step, 0)
                node.chosen = next
                self.nodes.append(node)
                return
            }
        }
        self.isComplete = true
    }
}
