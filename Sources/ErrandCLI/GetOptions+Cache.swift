internal import Errand

/// The options about answers that are kept.
extension GetOptions {
    static let cacheOptions: [OptionDescription<GetOptions>] = [
        OptionDescription("--cache", value: "DIR", "keep answers in this folder, and use those that are fresh") {
            options, text in options.cacheFolder = text
        },
        OptionDescription("--http-cache", flag: "keep and use answers as they say themselves (RFC 9111)") {
            $0.usesHTTPCaching = true
        },
        OptionDescription("--max-age", value: "SECONDS", "how old a kept answer may be (default 300)") {
            (options, text) throws(UsageError) in options.maximumAge = try Self.age(text)
        },
        OptionDescription("--offline", flag: "use kept answers only, and send nothing") { $0.isOffline = true },
    ]

    /// How old a kept answer may be unless said otherwise.
    static let usualAge = Duration.seconds(300)

    private static func age(_ text: String) throws(UsageError) -> Duration {
        guard let seconds = Double(text), seconds.isFinite, seconds > 0, seconds <= 1e9 else {
            throw UsageError(message: "--max-age needs a number of seconds above 0, not \"\(text)\"")
        }
        return .seconds(seconds)
    }
}
