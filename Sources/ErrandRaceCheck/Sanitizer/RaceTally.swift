/// A race, reported once, with the number of its reports.
struct Race: Hashable, Sendable, Encodable {
    let kind: String
    /// The operations and their calls in the package's own files, or the innermost calls if there are none.
    let stacks: [RaceReport.Stack]
    /// The memory location; `nil` if it is not known.
    let location: String?
    /// True if a stack has a call in the package's own files.
    let isOwn: Bool
    /// The number of reports.
    var count: Int
    /// The iteration that reported it first, from 1.
    let firstIteration: Int

    /// The innermost call of the package with a line, or else with a file, at which the race is shown.
    var position: RaceReport.Frame? {
        let frames = self.stacks.flatMap(\.frames)
        return frames.first { $0.file != nil && $0.line != nil } ?? frames.first { $0.file != nil }
    }
}

/// Counts reports, and distinguishes races by the operations and their locations in the package's own files.
struct RaceTally {
    private struct Key: Hashable {
        let kind: String
        /// The innermost call of each stack, in an order that is independent of which thread was first.
        let calls: [String]
    }

    /// The number of calls that are shown of a stack without any in the package's own files.
    private static let foreignFrames = 4

    private let folder: PackageFolder
    private var keys: [Key] = []
    private var races: [Key: Race] = [:]

    /// Creates an empty tally.
    ///
    /// - Parameter folder: The package, which determines its own files.
    init(folder: PackageFolder) {
        self.folder = folder
    }

    /// The races so far, in the order of their first reports.
    var found: [Race] { self.keys.compactMap { self.races[$0] } }

    /// Counts the reports of an iteration.
    mutating func count(_ reports: [RaceReport], iteration: Int) {
        for report in reports {
            let stacks = report.stacks.map(self.reduced)
            let calls = stacks.map { Self.signature(of: $0.stack.frames.first) }.sorted()
            let key = Key(kind: report.kind, calls: calls)
            if self.races[key] == nil {
                self.keys.append(key)
                self.races[key] = Race(
                    kind: report.kind, stacks: stacks.map(\.stack), location: report.location,
                    isOwn: stacks.contains { $0.isOwn }, count: 0, firstIteration: iteration)
            }
            self.races[key]?.count += 1
        }
    }

    private static func signature(of frame: RaceReport.Frame?) -> String {
        guard let frame else { return "" }
        return "\(frame.function)\n\(frame.file ?? frame.module ?? "")\n\(frame.line ?? 0)"
    }

    private func reduced(_ stack: RaceReport.Stack) -> (stack: RaceReport.Stack, isOwn: Bool) {
        var stack = stack
        let own = stack.frames.compactMap { frame -> RaceReport.Frame? in
            guard let path = frame.file.flatMap(self.folder.ownPath) else { return nil }
            var frame = frame
            frame.file = path
            return frame
        }
        stack.frames = own.isEmpty ? Array(stack.frames.prefix(Self.foreignFrames)) : own
        return (stack, !own.isEmpty)
    }
}
