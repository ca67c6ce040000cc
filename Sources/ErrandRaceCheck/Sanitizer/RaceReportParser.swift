/// Parses the reports of the thread sanitizer in any text.
struct RaceReportParser {
    private var reports: [RaceReport] = []
    private var kind: String?
    private var stacks: [RaceReport.Stack] = []
    private var location: String?
    /// True if the next frames belong to the last stack.
    private var takesFrames = false

    private init() {}

    /// Returns the reports in a text, in order; one that was cut off is returned as far as it goes.
    static func reports(in text: String) -> [RaceReport] {
        var parser = RaceReportParser()
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) { parser.read(line) }
        parser.end()
        return parser.reports
    }

    /// Returns the number of suppressed reports, which the sanitizer prints at the end of a process.
    static func suppressedCount(in text: String) -> Int {
        text.split(whereSeparator: \.isNewline).reduce(0) { count, line in
            let number = line.text(behind: "ThreadSanitizer: Matched ")?.prefix { $0.isNumber }
            return count + (number.flatMap { Int($0) } ?? 0)
        }
    }

    private mutating func read(_ line: Substring) {
        if let kind = line.text(behind: "WARNING: ThreadSanitizer: ") {
            self.end()
            self.kind = Self.withoutNumber(kind)
        } else if self.kind == nil {
            return
        } else if line.hasPrefix("==================") || line.hasPrefix("SUMMARY: ThreadSanitizer:") {
            self.end()
        } else if line.hasPrefix("    #") {
            self.readFrame(line)
        } else if line.hasPrefix("  "), !line.hasPrefix("   ") {
            self.readHeading(line.trimmed)
        }
    }

    private mutating func end() {
        if let kind = self.kind {
            self.reports.append(RaceReport(kind: kind, stacks: self.stacks, location: self.location))
        }
        self.kind = nil
        self.stacks = []
        self.location = nil
        self.takesFrames = false
    }

    /// `data race (pid=1)` without the part that differs from run to run.
    private static func withoutNumber(_ text: String) -> String {
        guard let start = text.firstRange(of: " (pid=")?.lowerBound else { return text.trimmed }
        return text[..<start].trimmed
    }

    // MARK: - Headings

    private mutating func readHeading(_ text: String) {
        if text.hasPrefix("Location is ") {
            self.location = Self.location(text)
        }
        let isAboutMutex = text.hasPrefix("Mutex M") && !text.contains(" acquired ")
        let isContext = Self.contexts.contains { text.hasPrefix($0) } || isAboutMutex
        self.takesFrames = text.hasSuffix(":") && !isContext && self.stacks.count < 2
        if self.takesFrames { self.stacks.append(RaceReport.Stack(title: Self.title(text), frames: [])) }
    }

    /// The beginnings of headings that are neither operations nor locations.
    private static let contexts = [
        "Location is ", "Thread T", "As if synchronized", "Hint:", "Cycle in lock order",
    ]

    /// `Previous write of size 8 at 0x1 by thread T2 (mutexes: write M1):` without addresses and numbers of threads.
    private static func title(_ text: String) -> String {
        var words: [Substring] = []
        for word in text.dropLast().split(separator: " ") {
            if word.hasPrefix("0x") {
                if words.last == "at" { words.removeLast() }
            } else if word.hasPrefix("(") || word == "by" {
                break
            } else {
                words.append(word)
            }
        }
        return words.joined(separator: " ")
    }

    /// `Location is global 'x' of size 8 at 0x1 (…)` as `global x`.
    private static func location(_ text: String) -> String {
        let rest = text.dropFirst("Location is ".count)
        let end = rest.firstRange(of: " at 0x")?.lowerBound ?? rest.endIndex
        return String(rest[..<end].filter { $0 != "'" })
    }

    // MARK: - Frames

    /// Parses `    #0 function file:line:column (module+0x1) (BuildId: …)`; names may contain spaces.
    private mutating func readFrame(_ line: Substring) {
        guard self.takesFrames, let last = self.stacks.indices.last else { return }
        var rest = Substring(line.drop { $0 == " " }.drop { $0 != " " }.trimmed)
        if let start = rest.firstRange(of: " (BuildId:")?.lowerBound { rest = rest[..<start] }
        var module: String?
        if rest.hasSuffix(")"), let start = rest.lastIndex(of: "("), rest[start...].contains("+0x") {
            let text = rest[rest.index(after: start)...]
            module = text.lastIndex(of: "+").map { String(text[..<$0]) }
            rest = Substring(rest[..<start].trimmed)
        }
        self.stacks[last].frames.append(Self.frame(rest, module: module))
    }

    private static func frame(_ text: Substring, module: String?) -> RaceReport.Frame {
        if text.hasSuffix(" <null>") {
            return RaceReport.Frame(function: text.dropLast(7).trimmed, module: module)
        }
        // The path begins at a space and a slash, which no function name contains.
        guard let start = text.firstRange(of: " /")?.lowerBound else {
            return RaceReport.Frame(function: String(text), module: module)
        }
        var path = text[text.index(after: start)...]
        var numbers: [Int] = []
        while numbers.count < 2, let colon = path.lastIndex(of: ":"),
            let number = Int(path[path.index(after: colon)...])
        {
            numbers.insert(number, at: 0)
            path = path[..<colon]
        }
        return RaceReport.Frame(
            function: String(text[..<start]), file: String(path), line: numbers.first.flatMap { $0 > 0 ? $0 : nil },
            column: numbers.count > 1 && numbers[1] > 0 ? numbers[1] : nil, module: module)
    }
}

extension Substring {
    /// Returns the text after the first occurrence of another; `nil` if there is none.
    fileprivate func text(behind start: String) -> String? {
        self.firstRange(of: start).map { String(self[$0.upperBound...]) }
    }
}
