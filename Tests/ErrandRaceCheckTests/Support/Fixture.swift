internal import Foundation

@testable internal import ErrandRaceCheck

/// What the sanitizer wrote about a small package with races, whose folder was `/home/user/Lab`.
enum Fixture {
    /// The package of the reports.
    static let folder = PackageFolder(URL(filePath: "/home/user/Lab", directoryHint: .isDirectory))

    static func text(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: folder.appending(path: "Fixtures/\(name)"), encoding: .utf8)
    }

    static func reports(_ name: String) throws -> [RaceReport] {
        RaceReportParser.reports(in: try self.text(name))
    }

    static func races(_ name: String) throws -> [Race] {
        var tally = RaceTally(folder: self.folder)
        tally.count(try self.reports(name), iteration: 1)
        return tally.found
    }

    /// What the trait writes of a case of a test in `AppTests/ATests.swift`.
    ///
    /// - Parameters:
    ///   - test: The test, which has run ten schedules.
    ///   - schedule: The one that fails; nothing where none does.
    ///   - line: The line of the issue; nothing where it is an error without a place.
    /// - Returns: The document.
    static func result(_ test: String, schedule: String? = nil, line: Int? = 9) -> String {
        let file = "\"fileID\": \"AppTests/ATests.swift\""
        let place = line.map { "\"place\": {\(file), \"line\": \($0), \"column\": 13}," } ?? ""
        let failure = schedule.map { schedule in
            """
            , "failure": {"error": "balance < 0", "kind": "\(line ?? 0)", \(place) "schedule": "\(schedule)",
            "switches": \(schedule == "-" ? 0 : schedule.split(separator: " ").count),
            "replay": "@Test(.simulated(replaying: \\"\(schedule)\\"))",
            "explanation": "Schedule 4 failed: balance < 0\\nTasks:\\n  . the body"}
            """
        }
        return """
            {"version": 1, "test": "AppTests.\(test)/ATests.swift:3:6", "name": "\(test)", "schedules": 10,
            "place": {\(file), "line": 3, "column": 6}\(failure ?? "")}
            """
    }
}
