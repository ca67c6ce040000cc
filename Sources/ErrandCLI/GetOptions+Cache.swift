internal import Errand

/// The options about cached responses.
extension GetOptions {
    static let cacheOptions: [OptionDescription<GetOptions>] = [
        OptionDescription("--cache", value: "DIR", "cache responses in this folder, and use fresh ones") {
            options, text in options.cacheFolder = text
        },
        OptionDescription("--http-cache", flag: "cache by the response header fields (RFC 9111)") {
            $0.usesHTTPCaching = true
        },
        OptionDescription("--max-age", value: "SECONDS", "the maximum age of a cached response (default 300)") {
            (options, text) throws(UsageError) in options.maximumAge = try Self.age(text)
        },
        OptionDescription("--offline", flag: "use cached responses only, and send nothing") { $0.isOffline = true },
    ]

    /// The default maximum age of a cached response.
    static let usualAge = Duration.seconds(300)

    private static func age(_ text: String) throws(UsageError) -> Duration {
        guard let seconds = Double(text), seconds.isFinite, seconds > 0, seconds <= 1e9 else {
            throw UsageError(message: "--max-age needs a number of seconds above 0, not \"\(text)\"")
        }
        return .seconds(seconds)
    }
}
