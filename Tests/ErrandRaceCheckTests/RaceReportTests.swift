internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: reports of the thread sanitizer (G11)", .timeLimit(.minutes(60)), .paced)
struct RaceReportTests {
    // MARK: - Reading

    @Test func `are read with what was done, where and to what`() throws {
        let reports = try Fixture.reports("tasks.txt")
        #expect(reports.map(\.kind) == ["Swift access race", "data race", "Swift access race"])
        let first = try #require(reports.first)
        #expect(first.stacks.map(\.title) == ["Modifying access of Swift variable", "Previous write of size 8"])
        #expect(first.location == "global $s3Lab5totalSivp of size 8")
        #expect(
            first.stacks[0].frames[0]
                == RaceReport.Frame(
                    function: "$s8LabTestsAAV5tasksyyYaFyScGyytGzYaXEfU_yyYacfU_TY0_",
                    file: "/home/user/Lab/Tests/LabTests/LabTests.swift", module: "labPackageTests.xctest"))
        #expect(
            first.stacks[1].frames[0]
                == RaceReport.Frame(
                    function: "$s8LabTestsAAV6globalyyFySiYbcfU_", file: "/home/user/Lab/Tests/LabTests/LabTests.swift",
                    line: 13, column: 51, module: "labPackageTests.xctest"))
        #expect(
            first.stacks[0].frames[1]
                == RaceReport.Frame(
                    function: "swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c",
                    module: "libswift_Concurrency.so"))
    }

    @Test func `are found among what tests print`() throws {
        let reports = try Fixture.reports("mixed.txt")
        #expect(reports.map(\.kind) == ["Swift access race", "Swift access race", "Swift access race"])
        #expect(reports.allSatisfy { $0.stacks.count == 2 })
        #expect(reports[0].location == "heap block of size 24")
    }

    @Test func `are read whatever their kind is, odd names and a missing end`() throws {
        let reports = try Fixture.reports("kinds.txt")
        #expect(
            reports.map(\.kind) == ["lock-order-inversion (potential deadlock)", "heap-use-after-free", "data race"])
        #expect(
            reports[0].stacks.map { $0.frames.last?.function }
                == ["Lab.Two.forwards() -> ()", "Lab.Two.backwards() -> ()"])
        #expect(
            reports[0].stacks.map(\.title) == [
                "Mutex M1 acquired here while holding mutex M0 in main thread",
                "Mutex M0 acquired here while holding mutex M1 in thread T1",
            ])
        #expect(
            reports[1].stacks[0].frames == [
                RaceReport.Frame(
                    function: "closure #1 (Swift.Int) -> () in Lab.Buffer.write()",
                    file: "/home/user/Lab/Sources/Lab/Odd (name): x.swift", line: 3, column: 5, module: "LabTests")
            ])
        #expect(reports[1].stacks.map(\.title) == ["Write of size 8", "Previous write of size 8"])
        #expect(reports[2].stacks.map(\.frames.count) == [2])
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `are read from any text`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var lines = try Fixture.text("access.txt").split(separator: "\n").shuffled(using: &generator).map(String.init)
        for _ in 0..<20 {
            let index = Int.random(in: lines.indices, using: &generator)
            lines[index] = String(lines[index].shuffled(using: &generator))
        }
        for report in RaceReportParser.reports(in: lines.joined(separator: "\n")) {
            #expect(report.stacks.count <= 2)
        }
    }

    // MARK: - Counting

    @Test func `are races once each, with the calls in the package's own files`() throws {
        let races = try Fixture.races("access.txt")
        #expect(try Fixture.reports("access.txt").count == 5)
        #expect(races.map(\.kind) == ["Swift access race", "Swift access race", "data race", "Swift access race"])
        #expect(races.map(\.count) == [1, 2, 1, 1])
        let files = Set(races.flatMap(\.stacks).flatMap(\.frames).compactMap(\.file))
        #expect(files == ["Sources/Lab/Counters.swift", "Tests/LabTests/LabTests.swift"])
        #expect(races.allSatisfy { $0.isOwn && $0.stacks.count == 2 })
        #expect(races[0].position?.file == "Tests/LabTests/LabTests.swift")
        #expect(races[0].position?.line == 26)
    }

    @Test func `are the same whichever thread was first, and in every iteration`() throws {
        let report = try #require(try Fixture.reports("tasks.txt").first)
        let turned = RaceReport(kind: report.kind, stacks: report.stacks.reversed(), location: nil)
        var tally = RaceTally(folder: Fixture.folder)
        tally.count([], iteration: 1)
        tally.count([report], iteration: 2)
        tally.count([turned, report], iteration: 3)
        #expect(tally.found.map(\.count) == [3])
        #expect(tally.found.map(\.firstIteration) == [2])
    }

    @Test func `show some calls where none is in the package's own files`() throws {
        let race = try #require(try Fixture.races("kinds.txt").last)
        #expect(!race.isOwn)
        #expect(race.stacks.map { $0.frames.map(\.function) } == [["dependency() -> ()", "Other.one()"]])
    }

    @Test func `know what is the package's own`() {
        let folder = PackageFolder(
            URL(filePath: "/a/b", directoryHint: .isDirectory),
            scratch: URL(filePath: "/a/b/out", directoryHint: .isDirectory))
        #expect(folder.ownPath("/a/b/Sources/c.swift") == "Sources/c.swift")
        #expect(folder.ownPath("/a/b/.build/x/c.swift") == nil)
        #expect(folder.ownPath("/a/b/out/c.swift") == nil)
        #expect(folder.ownPath("/a/bc/c.swift") == nil)
        #expect(folder.ownPath("/<compiler-generated>") == nil)
    }
}
