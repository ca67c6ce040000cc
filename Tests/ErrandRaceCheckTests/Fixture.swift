internal import Foundation

@testable internal import ErrandRaceCheck

/// What the sanitizer wrote about a small package with races, whose folder was `/home/user/Lab`.
enum Fixture {
    /// The package of the reports.
    static let folder = PackageFolder(URL(filePath: "/home/user/Lab", directoryHint: .isDirectory))

    static func text(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    static func reports(_ name: String) throws -> [RaceReport] {
        RaceReportParser.reports(in: try self.text(name))
    }

    static func races(_ name: String) throws -> [Race] {
        var tally = RaceTally(folder: self.folder)
        tally.count(try self.reports(name), iteration: 1)
        return tally.found
    }
}
