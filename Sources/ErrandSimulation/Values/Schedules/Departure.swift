/// A departure from the default order: right after a task's step, a job of another task is run, or another one of its
/// own.
struct Departure: Hashable, Sendable {
    /// The task that ran last.
    let source: TaskPath
    /// The number of steps that it has made.
    let steps: Int
    /// The task whose job is run.
    let target: TaskPath
    /// The ordinal of the job among the target's ready jobs, 1 for the oldest.
    let ordinal: Int

    init(source: TaskPath, steps: Int, target: TaskPath, ordinal: Int) {
        self.source = source
        self.steps = steps
        self.target = target
        self.ordinal = ordinal
    }

    /// Parses a departure such as `b6>f` or `b6>f.2`; `nil` if the text is not one.
    init?(_ text: some StringProtocol) {
        let sides = text.split(separator: ">", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let source = sides[0].prefix { !$0.isASCIIDigit }
        guard let steps = Self.number(sides[0].dropFirst(source.count)), steps > 0, let source = TaskPath(source),
            let (path, ordinal) = Self.target(sides[1])
        else { return nil }
        self.init(source: source, steps: steps, target: path, ordinal: ordinal)
    }

    // MARK: - Private helpers

    /// Parses `f`, `f.2`, `.` or `..2`.
    private static func target(_ text: some StringProtocol) -> (TaskPath, Int)? {
        let pathEnd = text.dropFirst().firstIndex(of: ".") ?? text.endIndex
        guard let path = TaskPath(text[..<pathEnd]) else { return nil }
        guard pathEnd < text.endIndex else { return (path, 1) }
        guard let ordinal = Self.number(text[pathEnd...].dropFirst()), ordinal > 0 else { return nil }
        return (path, ordinal)
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        text.allSatisfy(\.isASCIIDigit) ? Int(text) : nil
    }
}

extension Departure: CustomStringConvertible {
    var description: String {
        "\(self.source)\(self.steps)>\(self.target)" + (self.ordinal == 1 ? "" : ".\(self.ordinal)")
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { self.isASCII && self.isNumber }
}
