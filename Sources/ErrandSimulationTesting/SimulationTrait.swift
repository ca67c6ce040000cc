internal import ErrandSimulation
public import Testing

/// Runs a test, or each test of a suite, under many schedules; `.simulated(schedules:by:seed:reach:limits:)`
/// makes one.
///
/// ```swift
/// import ErrandSimulation
/// import ErrandSimulationTesting
/// import Testing
///
/// @Test(.simulated) func nobodyOverdraws() async throws {
///     let account = Account(balance: 100)
///     async let rent: Void = account.withdraw(70)
///     async let food: Void = account.withdraw(60)
///     _ = await (rent, food)
///     #expect(await account.balance >= 0)
/// }
/// ```
///
/// The body of the test is run once for each schedule, with all its tasks and actors on the simulation's executor and
/// its clock standing still until nothing else can run. A schedule fails if the body throws, records an issue, or comes
/// to no end. The issues of the schedules that are tried are not shown. The first that fails is cut down to as few
/// switches as can be found, and is then run once more, aloud: its expectations fail in their own lines, an issue tells
/// the schedule, the tasks, the switches and the timeline, and `schedule.txt` and `schedule.html` are attached, which
/// `swift test --attachments-path` writes. `@Test(.simulated(replaying: "b6>f"))` runs that schedule alone.
///
/// What to know about the body:
///
/// - It gets at the clock, chance and executor of its run by `Simulation.current`.
/// - It runs a thousand times. State belongs inside of it or in the suite, which is made anew for each schedule;
///   arguments are shared by all. What it prints is printed, and what it attaches is attached, each time.
/// - It must stay in the simulation: `@MainActor` tests, and what awaits the main actor, plain `Task { }`s or
///   `Task.sleep`, do not, unless the `reach` captures them. To await such a thing is a failure which says so; what is
///   started and not awaited runs outside of the schedules, unseen.
/// - It waits for what it starts. The schedule is over when the body is: an expectation that fails in a task that goes
///   on is shown, without its schedule.
/// - Each argument of a test with arguments is explored by itself.
/// - Known issues (`withKnownIssue`) are no failures, and a `confirmation` that is not confirmed is one. Of a test that
///   passes, known issues and warnings of the first schedule are shown.
/// - Traits that provide a scope are outside of the schedules where they come before this one, and are run within each
///   where they come after it. Of a suite's and a test's own trait of this kind, the test's applies.
///
/// There is no limit on real time but that of one step, ten seconds; `.timeLimit` of the testing library goes for all
/// schedules together.
///
/// `swift package race-check --simulate` runs all tests with the trait under more schedules. It sets variables of the
/// environment, which may be set by hand too; a value that makes no sense is an issue, and the test is not run:
///
/// - `ERRAND_SIMULATION_SCHEDULES=10000` takes the place of smaller numbers of schedules.
/// - `ERRAND_SIMULATION_TIME=600` lets the tests of the process go on with new schedules, and share so many seconds.
/// - `ERRAND_SIMULATION_RESULTS=folder` writes a file of JSON for each case of a test, with the schedule that fails.
/// - `ERRAND_SIMULATION_TRAIL=folder` keeps the schedule that is being run in a file for each test that runs. A process
///   that crashes leaves those files, and the last line of each is what `replaying:` takes.
public struct SimulationTrait: TestTrait, SuiteTrait, TestScoping {
    /// Tells one trait from another with the same settings.
    private final class Identity: Sendable {}

    var plan: SimulationPlan
    private let identity = Identity()

    /// Whether the tests of a suite and of the suites in it inherit the trait, which they do.
    public var isRecursive: Bool { true }

    init(plan: SimulationPlan) {
        self.plan = plan
    }

    /// Returns the trait itself for a case of a test for which it is the closest of its kind, and else `nil`.
    ///
    /// - Parameters:
    ///   - test: The test or suite.
    ///   - testCase: The case of the test.
    /// - Returns: The trait or `nil`.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase != nil && self.applies(to: test) ? self : nil
    }

    /// Notes a test that will run, so that it has its part of the time that the environment may ask for.
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
    /// - Throws: `CancellationError` if the test is cancelled; what fails is recorded as issues.
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
