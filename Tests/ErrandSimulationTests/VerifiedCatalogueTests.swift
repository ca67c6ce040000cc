import SimulationCatalogue
import TestEffort
import Testing

@testable import ErrandSimulation

/// Checks which programs of the catalogue can be verified, and with how many classes.
@Suite("Verified catalogue", .timeLimit(.minutes(60)), .paced, .enabled(if: ScheduleTree.isExact))
struct VerifiedCatalogueTests {
    /// The largest number of schedules to run, by the assumption about shared state.
    private static let limits: [Simulation.Sharing: Int] =
        TestEffort.isDeep ? [.seen: 6_000, .unseen: 3_000] : [.seen: 3_000, .unseen: 1_500]

    /// The number of classes of a mended program, and the number of the first schedule with which a broken one fails;
    /// `nil` if it is larger than 6,000, or than 3,000 for all schedules.
    struct Row: Sendable, Equatable {
        let name: String
        let seen: Int?
        let seenFailure: Int?
        let unseen: Int?
        let unseenFailure: Int?

        init(_ name: String, _ seen: Int?, _ seenFailure: Int?, _ unseen: Int?, _ unseenFailure: Int?) {
            (self.name, self.seen, self.seenFailure) = (name, seen, seenFailure)
            (self.unseen, self.unseenFailure) = (unseen, unseenFailure)
        }
    }

    // The name; then with the sharing that is seen: the classes of the mended program, and the schedule with which the
    // broken one fails; then the same for all schedules.
    static let table: [Row] = [
        Row("barrier-miscount", 1_408, 177, 2_640, 331),
        Row("debouncer-fires-twice", 16, 5, 36, 5),
        Row("late-subscriber", 16, 9, nil, 903),
        Row("priority-inversion", 468, 41, nil, nil),
        Row("read-your-write", 1_536, 17, nil, 442),
        Row("use-before-start", 48, 9, 292, 33),
        Row("cancellation-against-completion", 28, 9, 73, 16),
        Row("cancellation-before-registration", 708, 46, nil, 201),
        Row("check-then-act", 40, 9, 68, 16),
        Row("deadlock-of-two-locks", 40, 81, 2_538, 1_730),
        Row("delivery-after-unsubscribing", 40, 9, 129, 16),
        Row("double-resume", 2_832, 121, nil, 721),
        Row("forgotten-cleanup", 92, 16, 212, 19),
        Row("late-registration", 28, 17, 100, 75),
        Row("lease-expiry", 18, 5, 18, 5),
        Row("lost-update", 16, 9, 30, 34),
        Row("lost-wake-up", 28, 9, 63, 23),
        Row("missed-last-element", 40, 21, 284, 100),
        Row("out-of-order-delivery", 116, 33, 1_195, 153),
        Row("queue-stops-before-draining", 2_928, 209, nil, nil),
        Row("rate-limiter-overshoot", 80, 9, 164, 16),
        Row("reentrant-initialisation", 14, 5, 14, 5),
        Row("resurrected-resource", 112, 17, 442, 75),
        Row("retry-applied-twice", 40, 9, 82, 16),
        Row("stale-cache-refill", 100, 9, nil, 2_038),
        Row("token-refresh-stampede", 88, 9, 172, 16),
        Row("torn-transfer", 40, 9, 1_149, 32),
        Row("dirty-flag-cleared", 100, 17, 289, 75),
        Row("lost-permit", 144, 45, 588, 135),
        Row("nested-permits", 5_904, 1_393, nil, nil),
        Row("reset-during-load", 5_904, 193, nil, nil),
        Row("unbounded-growth", 2_448, 385, nil, 1_789),
        Row("aba", 1_536, 169, 2_091, 339),
        Row("dining-philosophers", nil, nil, nil, nil),
    ]

    @Test("The table has a row for each program")
    func rows() {
        #expect(Self.table.map(\.name) == PlantedBug.all.map(\.name))
    }

    @Test("The programs are verified as in the table", arguments: PlantedBug.all)
    func programs(_ bug: PlantedBug) async throws {
        let row = Row(
            bug.name, try await Self.classes(of: bug, .seen), try await Self.failure(of: bug, .seen),
            try await Self.classes(of: bug, .unseen), try await Self.failure(of: bug, .unseen))
        #expect(Self.table.first { $0.name == bug.name }.map(Self.limited) == row)
    }

    /// Returns a row without the numbers that are larger than the limits.
    private static func limited(_ row: Row) -> Row {
        func limited(_ number: Int?, _ sharing: Simulation.Sharing) -> Int? {
            number.flatMap { $0 <= self.limits[sharing, default: 1] ? $0 : nil }
        }
        return Row(
            row.name, limited(row.seen, .seen), limited(row.seenFailure, .seen), limited(row.unseen, .unseen),
            limited(row.unseenFailure, .unseen))
    }

    private static func classes(of bug: PlantedBug, _ sharing: Simulation.Sharing) async throws -> Int? {
        let verification = try await Simulation.verify(
            schedules: self.limits[sharing, default: 1], sharing: sharing, bug.mended)
        return verification.isComplete ? verification.classes : nil
    }

    private static func failure(of bug: PlantedBug, _ sharing: Simulation.Sharing) async throws -> Int? {
        do {
            let verification = try await Simulation.verify(
                schedules: self.limits[sharing, default: 1], sharing: sharing, bug.broken)
            #expect(!verification.isComplete)
            return nil
        } catch let failure as SimulationFailure {
            #expect(failure.isRepeatable && failure.schedule.count <= bug.depth)
            return failure.scheduleNumber
        }
    }
}
