/// The options about concurrency and time.
extension GetOptions {
    static let widths = 1...1024
    /// About twelve days: more than any useful timeout, and safe to add to a clock.
    static let longestTimeout = 1_000_000.0

    static let paceOptions: [OptionDescription<GetOptions>] = [
        OptionDescription(
            "--parallel", "--width", value: "N",
            "the maximum number of requests in flight (default 16; 4 with --output)"
        ) {
            (options, text) throws(UsageError) in options.width = try Self.width(text)
        },
        OptionDescription("--timeout", value: "SECONDS", "the timeout of one request (default: none while data moves)")
        {
            (options, text) throws(UsageError) in options.timeout = try Self.timeout(text)
        },
        OptionDescription(
            "--limit-rate", value: "BYTES",
            "the bytes per second of all together, as 500000, 500k or 2m (default: no limit)"
        ) { (options, text) throws(UsageError) in options.rate = try Self.rate(text) },
    ]

    /// The suffixes of a rate, as in curl.
    private static let units = ["k": 10, "m": 20, "g": 30]

    private static func rate(_ text: String) throws(UsageError) -> Int {
        let unit = text.last.flatMap { Self.units[$0.lowercased()] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard digits.allSatisfy(\.isASCIIDigit), let number = Int(digits), number > 0,
            number <= Int.max >> (unit ?? 0)
        else {
            throw UsageError(
                message: "--limit-rate needs a number of bytes above 0, with or without k, m or g, not \"\(text)\"")
        }
        return number << (unit ?? 0)
    }

    private static func width(_ text: String) throws(UsageError) -> Int {
        guard let width = Int(text), Self.widths.contains(width) else {
            throw UsageError(
                message: "--width needs a whole number from \(Self.widths.lowerBound) to \(Self.widths.upperBound), "
                    + "not \"\(text)\"")
        }
        return width
    }

    private static func timeout(_ text: String) throws(UsageError) -> Duration {
        guard let seconds = Double(text), seconds > 0, seconds <= Self.longestTimeout else {
            throw UsageError(
                message: "--timeout needs a number of seconds above 0, at most \(Int(Self.longestTimeout)), "
                    + "not \"\(text)\"")
        }
        return .seconds(seconds)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { self.isASCII && self.isWholeNumber }
}
