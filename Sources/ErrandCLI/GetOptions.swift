internal import Errand

internal import struct Foundation.URL

/// What `errand get` is asked to do.
struct GetOptions: Sendable, Hashable {
    /// The URLs as they were given; `-` stands for the standard input.
    var urls: [String] = []
    /// How many requests may be under way at once.
    var width = 16
    /// How long one request may take.
    var timeout = Duration.seconds(60)
    /// Whether lines are JSON.
    var isJSON = false
    /// Header fields of every request.
    var headers = HTTPFields()
    /// Whether no progress is shown.
    var isQuiet = false
    /// How servers are reached.
    var network = TransportSettings()
    /// What reaches them; nothing for the best one of the platform.
    var transport: TransportChoice?

    /// The transports that can be asked for by name.
    enum TransportChoice: String, CaseIterable {
        case curl
        case urlsession
    }

    static let widths = 1...1024
    /// About twelve days: what a clock can add without overflowing, and nobody waits longer for.
    static let longestTimeout = 1_000_000.0

    /// How the command line says all that.
    static let description = CommandDescription<GetOptions>(
        name: "errand get", synopsis: "URL… [options]",
        summary: "Fetches http and https URLs, many at a time, and prints a line for each in the order given.",
        options: [
            OptionDescription("--width", value: "N", "how many requests may be under way at once (default 16)") {
                (options, text) throws(UsageError) in options.width = try Self.width(text)
            },
            OptionDescription("--timeout", value: "SECONDS", "how long one request may take (default 60)") {
                (options, text) throws(UsageError) in options.timeout = try Self.timeout(text)
            },
            OptionDescription("--header", value: "\"NAME: VALUE\"", "send this header field; may be repeated") {
                (options, text) throws(UsageError) in
                let field = try Self.header(text)
                options.headers.append(name: field.name, value: field.value)
            },
            OptionDescription("--cacert", value: "FILE", "trust the certificates in this PEM file and no others") {
                options, text in
                options.network.tls.standard.trust = .authorities([.file(URL(filePath: text))])
            },
            OptionDescription("--proxy", value: "URL", "go through this proxy; none goes directly") {
                (options, text) throws(UsageError) in options.network.proxy = try Self.proxy(text)
            },
            OptionDescription("--http2", flag: "speak HTTP/2 from the first byte, without TLS as well") {
                $0.network.httpVersions = .http2PriorKnowledge
            },
            OptionDescription("--http1.1", flag: "speak HTTP/1.1 only") { $0.network.httpVersions = .http1_1 },
            OptionDescription(
                "--transport", value: "NAME", "send with curl (on Linux, the default there) or urlsession"
            ) {
                (options, text) throws(UsageError) in options.transport = try Self.transport(text)
            },
            OptionDescription("--json", flag: "print one JSON object per line") { $0.isJSON = true },
            OptionDescription("-q", "--quiet", flag: "show no progress") { $0.isQuiet = true },
        ],
        details: """
            A URL of - reads URLs from the standard input, one a line; empty lines are skipped.

            A line has the status, the bytes of the body, the seconds from start to end, and the URL; without a
            response, also why. In JSON:
            {"url":…,"status":…,"bytes":…,"seconds":…,"error":…}
            where error is null or {"code":…,"message":…}, and what is not known is null.

            A body of more than 64 MiB is an error. Up to 20 redirections are followed, but none from https to http.
            Without --proxy, proxies are taken from the environment (http_proxy, https_proxy, no_proxy). HTTP/2 is
            spoken where a server agrees on it over TLS.

            Exit status: 0 each URL answered with a status below 400, 1 one did not, 2 the command line makes no
            sense (nothing was sent), 130 interrupted.
            """,
        positional: { options, text in options.urls.append(text) })

    // MARK: - Values

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

    private static func proxy(_ text: String) throws(UsageError) -> ProxyPolicy {
        guard text != "none" else { return .none }
        var settings = TransportSettings()
        settings.proxy = .url(text)
        do {
            try settings.validate()
        } catch {
            throw UsageError(message: "--proxy: \(error.message)")
        }
        return settings.proxy
    }

    private static func transport(_ text: String) throws(UsageError) -> TransportChoice {
        guard let choice = TransportChoice(rawValue: text) else {
            let names = TransportChoice.allCases.map(\.rawValue).joined(separator: " or ")
            throw UsageError(message: "--transport needs \(names), not \"\(text)\"")
        }
        return choice
    }

    /// Reads `Name: value`; never repeats the value, which may be a secret.
    private static func header(_ text: String) throws(UsageError) -> HTTPField {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw UsageError(message: "--header needs a name, a colon and a value") }
        guard !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isTokenByte) else {
            throw UsageError(message: "--header cannot use \"\(parts[0])\" as a name")
        }
        let isClean = parts[1].unicodeScalars.allSatisfy { $0 == "\t" || ($0 >= " " && $0 != "\u{7F}") }
        guard isClean else { throw UsageError(message: "the value of the header \(parts[0]) has a control character") }
        return HTTPField(name: parts[0], value: parts[1])
    }

    /// Tells whether a byte may stand in the name of a field (RFC 9110 §5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
