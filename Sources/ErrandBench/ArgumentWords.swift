/// The words of a command line, taken one after another.
struct ArgumentWords {
    private var rest: ArraySlice<String>

    init(_ words: ArraySlice<String>) {
        self.rest = words
    }

    /// True if help is requested.
    var wantHelp: Bool { self.rest.contains("--help") || self.rest.contains("-h") }

    /// The next word, or `nil` at the end.
    mutating func next() -> String? {
        self.rest.popFirst()
    }

    /// The value of an option.
    mutating func text(of option: String) throws(UsageError) -> String {
        guard let text = self.next(), !text.isEmpty else { throw UsageError("\(option) needs a value") }
        return text
    }

    /// The numeric value of an option.
    mutating func number(of option: String) throws(UsageError) -> Int {
        try Self.number(option, self.next() ?? "")
    }

    /// The comma-separated numbers of an option.
    mutating func numbers(of option: String) throws(UsageError) -> [Int] {
        var numbers: [Int] = []
        for text in (self.next() ?? "").split(separator: ",", omittingEmptySubsequences: false) {
            numbers.append(try Self.number(option, String(text)))
        }
        return numbers
    }

    /// The value of an option that accepts a few words.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        of option: String
    ) throws(UsageError) -> Choice {
        guard let choice = self.next().flatMap(Choice.init) else {
            throw UsageError("\(option) needs one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    private static func number(_ option: String, _ text: String) throws(UsageError) -> Int {
        guard let number = Int(text), number > 0 else {
            throw UsageError("\(option) needs a positive number")
        }
        return number
    }
}

/// A usage error.
struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    static func unknown(_ option: String) -> UsageError {
        UsageError("unknown option \"\(option)\"")
    }
}

/// The reason why a measurement is invalid.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
