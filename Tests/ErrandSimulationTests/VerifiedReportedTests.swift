import SimulationCatalogue
import TestEffort
import Testing

@testable import ErrandSimulation

/// Checks which of the bugs of other projects a verification finds, and which mended programs it proves.
@Suite("Verified reported bugs", .timeLimit(.minutes(60)), .paced, .enabled(if: ScheduleTree.isExact))
struct VerifiedReportedTests {
    /// The largest number of schedules to run.
    private static let limit = TestEffort.isDeep ? 12_000 : 500

    /// The number of classes of a mended program, and the number of the first schedule with which a broken one fails;
    /// `nil` if it is larger than 12,000.
    struct Row: Sendable, CustomTestStringConvertible {
        let origin: String
        let classes: Int?
        let failure: Int?

        init(_ origin: String, _ classes: Int?, _ failure: Int?) {
            (self.origin, self.classes, self.failure) = (origin, classes, failure)
        }

        var testDescription: String { self.origin }
        var bug: ReportedBug? { ReportedBug.all.first { $0.origin == self.origin } }
    }

    static let table: [Row] = [
        Row("cockroach#10214", 184, 73),
        Row("cockroach#7504", 40, 73),
        Row("cockroach#16167", 160, 33),
        Row("cockroach#3710", 28, 33),
        Row("cockroach#6181", 40, 9),
        Row("cockroach#9935", 16, 9),
        Row("cockroach#584", 400, 261),
        Row("cockroach#1055", nil, 161),
        Row("cockroach#1462", 10_752, 769),
        Row("cockroach#10790", 8_040, 481),
        Row("cockroach#13197", 384, 49),
        Row("cockroach#18101", nil, 1),
        Row("cockroach#2448", nil, 1),
        Row("cockroach#24808", 28, 21),
        Row("cockroach#25456", 384, 193),
        Row("cockroach#35073", nil, nil),
        Row("cockroach#35931", nil, 337),
        Row("cockroach#4407", 100, 81),
        Row("etcd#5509", 44, 25),
        Row("etcd#6857", nil, 1_345),
        Row("etcd#6873", 3_604, 1),
        Row("etcd#7443", 6_480, 1_345),
        Row("etcd#7492", 6_864, 769),
        Row("etcd#7902", nil, nil),
        Row("etcd#10492", 40, 21),
        Row("etcd#6708", 16, 9),
        Row("etcd#3077", 16, 33),
        Row("grpc-go#660", nil, 977),
        Row("grpc-go#862", 3_456, 481),
        Row("grpc-go#1275", 7_680, 193),
        Row("grpc-go#1353", 5_600, 1),
        Row("grpc-go#1424", nil, 2_689),
        Row("grpc-go#1460", 100, 21),
        Row("grpc-go#3017", 56, 25),
        Row("grpc-go#1687", 88, 9),
        Row("grpc-go#2371", 40, 21),
        Row("grpc-go#1748", 56, 9),
        Row("grpc-go#3090", 64, 9),
        Row("istio#16224", 160, 81),
        Row("istio#17860", 2_016, 2_233),
        Row("istio#18454", 4_896, 553),
        Row("istio#8967", 16, 21),
        Row("hugo#3251", 88, 21),
        Row("hugo#5379", 16, 9),
        Row("serving#2137", nil, nil),
        Row("serving#3068", nil, 481),
        Row("serving#5865", 16, 9),
        Row("syncthing#4829", 16, 9),
        Row("syncthing#5795", nil, 481),
        Row("kubernetes#10182", nil, 1),
        Row("kubernetes#13135", 104, 73),
        Row("kubernetes#1321", 232, 129),
        Row("kubernetes#26980", nil, 5_041),
        Row("kubernetes#30872", nil, 4_515),
        Row("kubernetes#58107", 672, 193),
        Row("kubernetes#62464", 160, 33),
        Row("kubernetes#6632", nil, 121),
        Row("kubernetes#25331", 1_152, 121),
        Row("kubernetes#38669", nil, 1),
        Row("kubernetes#5316", 8, 1),
        Row("kubernetes#70277", 7_728, 1),
        Row("kubernetes#11298", 60, 41),
        Row("kubernetes#13058", 40, 9),
        Row("moby#17176", 56, 25),
        Row("moby#21233", nil, nil),
        Row("moby#27782", 10_656, 121),
        Row("moby#28462", 3_696, 121),
        Row("moby#29733", 180, 21),
        Row("moby#30408", 1_440, 49),
        Row("moby#33781", 1_872, 1),
        Row("moby#4951", 56, 13),
        Row("moby#7559", 28, 21),
        Row("moby#18412", 2, nil),
        Row("SCTBench CS.bluetooth_driver", 76, 21),
        Row("SCTBench CS.carter01", 40, 21),
        Row("SCTBench CS.circular_buffer", 784, 53),
        Row("SCTBench CS.stack", nil, 69),
        Row("SCTBench CS.token_ring", 384, 193),
        Row("SCTBench CS.twostage", 220, 69),
        Row("SCTBench CS.wronglock", 40, 9),
        Row("SCTBench CS.reorder", 576, 529),
        Row("SCTBench chess.WSQ", 160, 9),
        Row("SCTBench stringbuffer-jdk1.4", 28, 9),
        Row("SCTBench aget-bug2", nil, 17),
        Row("SCTBench pbzip2-0.9.4", 56, 9),
        Row("swift-async-algorithms#80", 28, 9),
        Row("swift-async-algorithms#303", 124, 73),
        Row("GraphQLSwift/DataLoader#27", 100, 33),
        Row("okta-mobile-swift#170", 448, 9),
        Row("apple/container#684", 40, 9),
        Row("kotlinx.coroutines#2380", 518, 13),
        Row("kotlinx.coroutines#1323", nil, nil),
        Row("dotnet/corefx#32262", 28, 73),
        Row("encode/httpcore#830", 1_248, 625),
        Row("aiohttp#9671", nil, 8_833),
        Row("tokio#3660", 16, 9),
        Row("tokio#2134", 180, 9),
        Row("AsyncHttpClient#1113", 16, 9),
    ]

    /// The bugs that occur with few random numbers, which a verification does not vary.
    private static let chancy: Set<String> = ["moby#18412"]

    @Test("The table has a row for each bug, and proves most")
    func rows() {
        #expect(Self.table.map(\.origin) == ReportedBug.all.map(\.origin))
        #expect(Self.table.count { $0.classes != nil } == 76)
        #expect(Self.table.count { $0.failure != nil } == 92)
    }

    @Test("Mended programs are proved", arguments: Self.table.filter { ($0.classes ?? .max) <= Self.limit })
    func mended(_ row: Row) async throws {
        let bug = try #require(row.bug)
        let verification = try await Simulation.verify(schedules: Self.limit, sharing: .seen, bug.mended)
        #expect(verification.isComplete && verification.classes == row.classes, "\(verification)")
        #expect(!Self.chancy.contains(row.origin) || verification.usesChance)
    }

    @Test("Bugs are found", arguments: Self.table.filter { ($0.failure ?? .max) <= Self.limit })
    func broken(_ row: Row) async throws {
        let bug = try #require(row.bug)
        let failure = try #require(
            try await expectFailure {
                try await Simulation.verify(schedules: Self.limit, sharing: .seen, bug.broken)
            })
        #expect(failure.scheduleNumber == row.failure && failure.isRepeatable)
    }
}
