/// A race, told once however often it was reported.
struct Race: Hashable, Sendable, Encodable {
    let kind: String
    /// What was done, and where: the calls in the package's own files, or the innermost ones where none is.
    let stacks: [RaceReport.Stack]
    /// What it was done to; `nil` where that is not known.
    let location: String?
    /// Whether a call in the package's own files is in a stack.
    let isOwn: Bool
    /// How often it was reported.
    var count: Int
    /// The iteration that reported it first, from 1.
    let firstIteration: Int

    /// The innermost call of the package with a line, or with a file at least: where the race is shown.
    var position: RaceReport.Frame? {
        let frames = self.stacks.flatMap(\.frames)
        return frames.first { $0.file != nil && $0.line != nil } ?? frames.first { $0.file != nil }
    }
}

/// Counts reports, and tells races apart by what was done in which of the package's own files.
struct RaceTally {
    private struct Key: Hashable {
        let kind: String
        /// The innermost call of each stack, in an order that does not depend on which thread was first.
        let calls: [String]
    }

    /// How many calls are shown of a stack that has none in the package's own files.
    private static let foreignFrames = 4

    private let folder: PackageFolder
    private var keys: [Key] = []
    private var races: [Key: Race] = [:]

    /// Creates a tally that has counted nothing.
    ///
    /// - Parameter folder: The package, whose files are its own.
    init(folder: PackageFolder) {
        self.folder = folder
    }

    /// The races so far, in the order in which they were reported first.
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
