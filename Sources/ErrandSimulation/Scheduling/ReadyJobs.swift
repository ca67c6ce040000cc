/// The jobs that are ready to run, by arrival, by task and by position.
///
/// Arrivals are numbered, and the number identifies the job from then on. The positions are those of an array from
/// which a job is removed by moving the last one into its place: seeds of earlier versions depend on that order. Like
/// the tree of tasks, it is optimized for debug builds: arrays of numbers that never shrink, and no copies.
struct ReadyJobs: ~Copyable {
    /// The number of ready jobs.
    private(set) var count = 0

    // By position, up to the number of ready jobs.
    private var jobs: [UnownedJob] = []
    private var arrivals: [Int] = []
    private var tasks: [Int] = []

    // By arrival.
    private var positions: [Int] = []
    private var successors: [Int] = []

    // By task: its oldest and its newest ready job, or -1.
    private var oldest: [Int] = []
    private var newest: [Int] = []

    /// The lower bound of the ready arrivals.
    private var front = 0

    /// Returns the arrival at a position.
    func arrival(at position: Int) -> Int { self.arrivals[position] }

    /// Returns whether the job with a number of arrival is ready.
    func contains(_ arrival: Int) -> Bool { arrival < self.positions.count && self.positions[arrival] >= 0 }

    /// Returns the position of an arrival that is ready.
    func position(of arrival: Int) -> Int { self.positions[arrival] }

    /// Returns the task of the job at a position.
    func task(at position: Int) -> Int { self.tasks[position] }

    /// Returns the task of an arrival that is ready.
    func task(of arrival: Int) -> Int { self.tasks[self.positions[arrival]] }

    /// Returns the arrival of the oldest job of a task, or -1.
    func oldest(of task: Int) -> Int {
        task < self.oldest.count ? self.oldest[task] : -1
    }

    /// Returns the arrival of the oldest of all jobs; there must be one.
    mutating func first() -> Int {
        while self.positions[self.front] < 0 { self.front += 1 }
        return self.front
    }

    /// Returns the arrival of the oldest job that is not the given task's, or `nil`.
    func first(except task: Int) -> Int? {
        var found: Int?
        for position in 0..<self.count where self.tasks[position] != task {
            found = min(found ?? .max, self.arrivals[position])
        }
        return found
    }

    /// Returns the arrival of a task's job by its age, 1 for the oldest, or `nil` if the task has fewer.
    func arrival(of task: Int, ordinal: Int) -> Int? {
        var arrival = self.oldest(of: task)
        for _ in 1..<max(ordinal, 1) where arrival >= 0 { arrival = self.successors[arrival] }
        return arrival >= 0 ? arrival : nil
    }

    /// Returns the age of a ready job among its task's, 1 for the oldest.
    func ordinal(of arrival: Int) -> Int {
        var (ordinal, other) = (1, self.oldest(of: self.task(of: arrival)))
        while other != arrival {
            other = self.successors[other]
            ordinal += 1
        }
        return ordinal
    }

    // MARK: - Adding and removing

    /// Appends a job.
    mutating func append(_ job: UnownedJob, of task: Int) {
        let arrival = self.positions.count
        self.positions.append(self.count)
        self.successors.append(-1)
        if self.count == self.jobs.count {
            self.jobs.append(job)
            self.arrivals.append(arrival)
            self.tasks.append(task)
        } else {
            self.jobs[self.count] = job
            self.arrivals[self.count] = arrival
            self.tasks[self.count] = task
        }
        self.count += 1
        self.link(arrival, to: task)
    }

    /// Removes and returns a job.
    mutating func remove(_ arrival: Int) -> UnownedJob {
        let (position, last) = (self.positions[arrival], self.count - 1)
        self.unlink(arrival, from: self.tasks[position])
        self.positions[arrival] = -1
        let job = self.jobs[position]
        if position != last {
            self.jobs[position] = self.jobs[last]
            self.tasks[position] = self.tasks[last]
            self.arrivals[position] = self.arrivals[last]
            self.positions[self.arrivals[last]] = position
        }
        self.count = last
        return job
    }

    // MARK: - Private helpers

    private mutating func link(_ arrival: Int, to task: Int) {
        while self.oldest.count <= task {
            self.oldest.append(-1)
            self.newest.append(-1)
        }
        if self.oldest[task] < 0 {
            self.oldest[task] = arrival
        } else {
            self.successors[self.newest[task]] = arrival
        }
        self.newest[task] = arrival
    }

    private mutating func unlink(_ arrival: Int, from task: Int) {
        let next = self.successors[arrival]
        if self.oldest[task] == arrival {
            self.oldest[task] = next
            return
        }
        var before = self.oldest[task]
        while self.successors[before] != arrival { before = self.successors[before] }
        self.successors[before] = next
        if next < 0 { self.newest[task] = before }
    }
}
