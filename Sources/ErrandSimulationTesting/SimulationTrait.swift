internal import ErrandSimulation
public import Testing

/// Runs a test, or each test of a suite, under many schedules; created by
/// `.simulated(schedules:by:seed:reach:limits:)`, or by `.verified(schedules:sharing:time:seed:reach:limits:points:)` to
/// run one schedule of each class.
///
/// ```swift
/// import ErrandSimulation
/// import ErrandSimulationTesting
/// import Testing
///
/// @Test(.simulated) func `an account is never overdrawn`() async throws {
///     let account = Account(balance: 100)
///     async let rent: Void = account.withdraw(70)
///     async let food: Void = account.withdraw(60)
///     _ = await (rent, food)
///     #expect(await account.balance >= 0)
/// }
/// ```
///
/// The body of the test is run once for each schedule, with all its tasks and actors on the simulation's executor, and
/// with a clock that stands still until no other work can run. A schedule fails if the body throws, records an issue,
/// or does not end. The issues of the explored schedules are not shown. The first schedule that fails is minimized to
/// as few switches as possible, and is then run once more with its issues shown: its expectations fail in their own
/// lines, an issue shows the schedule, the tasks, the switches and the timeline, and `schedule.txt` and `schedule.html`
/// are attached, which `swift test --attachments-path` writes. `@Test(.simulated(replaying: "b6>f"))` runs that
/// schedule alone.
///
/// Rules for the body:
///
/// - `Simulation.current` provides the clock, chance and executor of its run.
/// - It runs a thousand times. Keep state inside the body or in the suite, which is created for each schedule;
///   arguments are shared by all. Output is printed, and attachments are attached, each time.
/// - It must stay in the simulation. `@MainActor` tests, and tests that await the main actor, a plain `Task { }` or
///   `Task.sleep`, leave it, unless the `reach` captures them. Awaiting such work is a failure with a message to that
///   effect; work that is started but not awaited runs outside of the schedules, unobserved.
/// - It must wait for the tasks that it starts. The schedule ends with the body: an expectation that fails in a task
///   that outlives it is shown, without its schedule.
/// - Each argument of a test with arguments is explored separately.
/// - Known issues (`withKnownIssue`) are not failures, and a `confirmation` that is not confirmed is one. If a test
///   passes, known issues and warnings of its first schedule are shown.
/// - Traits that provide a scope apply around all schedules if they come before this one, and within each if they come
///   after it. If both a suite and a test have a trait of this kind, the test's applies.
///
/// Real time is limited only per step, to ten seconds; `.timeLimit` of the testing library applies to all schedules
/// together. A test that seems deadlocked is run once more and gets two seconds of real time, to find out whether it
/// waits for something outside of the simulation.
///
/// `swift package race-check --simulate` runs all tests with the trait under more schedules. It sets environment
/// variables, which may also be set by hand; an invalid value is an issue, and the test is not run:
///
/// - `ERRAND_SIMULATION_SCHEDULES=10000` replaces smaller numbers of schedules.
/// - `ERRAND_SIMULATION_TIME=600` makes the tests of the process continue with new schedules, and share that many
///   seconds.
/// - `ERRAND_SIMULATION_RESULTS=folder` writes a JSON file for each case of a test, with the failing schedule.
/// - `ERRAND_SIMULATION_TRAIL=folder` writes the current schedule of each running test to a file. A process that
///   crashes leaves those files behind; the last line of each can be passed to `replaying:`.
public struct SimulationTrait: TestTrait, SuiteTrait, TestScoping {
    /// Distinguishes traits with the same settings.
    private final class Identity: Sendable {}

    var plan: SimulationPlan
    private let identity = Identity()

    /// A Boolean value that indicates whether the tests of a suite and of its nested suites inherit the trait; always
    /// `true`.
    public var isRecursive: Bool { true }

    init(plan: SimulationPlan) {
        self.plan = plan
    }

    /// Returns the trait itself for a case of a test for which it is the closest of its kind, and otherwise `nil`.
    ///
    /// - Parameters:
    ///   - test: The test or suite.
    ///   - testCase: The case of the test.
    /// - Returns: The trait or `nil`.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase != nil && self.applies(to: test) ? self : nil
    }

    /// Registers a test that will run, so that it gets its share of the time that the environment may provide.
    ///
    /// - Parameter test: The test or suite.
    public func prepare(for test: Test) async {
        if self.applies(to: test) { ExplorationTime.current?.expect(test) }
    }

    private func applies(to test: Test) -> Bool {
        guard !test.isSuite else { return false }
        let closest = test.traits.lazy.compactMap { $0 as? Self }.last
        return closest == nil || closest?.identity === self.identity
    }

    /// Runs the body of a test under the schedules, and records the first that fails.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: The case of the test.
    ///   - function: The body.
    /// - Throws: `CancellationError` if the test is cancelled; failures are recorded as issues.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let settings: SimulationSettings
        switch SimulationSettings.current {
        case .success(let current): settings = current
        case .failure(let problem):
            Issue.record(Comment(rawValue: problem.description), sourceLocation: test.sourceLocation)
            return
        }
        let body = unsafe BorrowedBody(function)
        let simulated = SimulatedTest(
            plan: self.plan, settings: settings, time: ExplorationTime.current, test: test, testCase: testCase
        ) { try await unsafe body.run() }
        try await simulated.perform()
    }
}
