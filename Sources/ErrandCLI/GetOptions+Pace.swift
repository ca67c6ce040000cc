/// The options about how much at once, and how long.
extension GetOptions {
    static let widths = 1...1024
    /// About twelve days: what a clock can add without overflowing, and nobody waits longer for.
    static let longestTimeout = 1_000_000.0

    static let paceOptions: [OptionDescription<GetOptions>] = [
        OptionDescription("--width", value: "N", "how many requests may be under way at once (default 16)") {
            (options, text) throws(UsageError) in options.width = try Self.width(text)
        },
        OptionDescription("--timeout", value: "SECONDS", "how long one request may take (default: as long as it moves)")
        {
            (options, text) throws(UsageError) in options.timeout = try Self.timeout(text)
        },
    ]

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
