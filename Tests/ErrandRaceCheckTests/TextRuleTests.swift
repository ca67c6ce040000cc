internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

/// Text that is not ours is looked at byte by byte, or scalar by scalar: see `StringProtocol+Bytes.swift` of Errand.
///
/// A rule for this house, not for those of users: it knows no types, and takes each text for one from outside that is
/// not named here with its reason.
@Suite("Text from outside: sources that compare it by Character", .timeLimit(.minutes(60)), .paced)
struct TextRuleTests {
    private static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    // MARK: - The rule

    /// What compares Characters, or folds letters outside of ASCII, whatever it is given.
    private static let always: Set<String> = [
        "hasPrefix", "hasSuffix", "lowercased", "uppercased", "capitalized", "replacing", "replacingOccurrences",
        "trimmingCharacters", "trimmingPrefix", "firstRange", "isWhitespace", "isNumber", "isLetter",
        "caseInsensitiveCompare", "removingPercentEncoding",
    ]
    /// What compares Characters when a text is written behind it.
    private static let withText: Set<String> = ["split", "contains", "prefix", "drop", "firstIndex", "lastIndex"]
    /// What these are asked of that is no text of Characters.
    private static let noTexts: Set<String> = [
        "utf8", "unicodeScalars", "scalars", "headers", "trailers", "fields", "control", "asked", "rules",
        "directives", "parameters",
    ]

    /// The words that a source must not have, each with its line.
    private static func words(in source: String) -> [String] {
        let bytes = Array(source.utf8)
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        let tokens = Lexer.tokens(of: bytes)
        func token(_ index: Int) -> Token? { tokens.indices.contains(index) ? tokens[index] : nil }
        func isText(_ index: Int) -> Bool {
            guard let token = token(index), token.kind == .literal else { return false }
            return lines[token.line - 1].dropFirst(token.column - 1).first.map { $0 == 0x22 || $0 == 0x23 } ?? false
        }
        /// Whether what is before a text is `$0 ==` or `$0 !=`.
        func isCompared(_ text: Int) -> Bool {
            token(text - 1)?.is("=") == true && token(text - 3)?.text == "$0"
        }
        /// Whether what is behind a name is `("…"`, `(label: "…"` or `{ $0 == "…"`.
        func hasText(_ name: Int) -> Bool {
            guard token(name + 1)?.is("(") == true || token(name + 1)?.is("{") == true else { return false }
            if isText(name + 2) || token(name + 3)?.is(":") == true && isText(name + 4) { return true }
            guard token(name + 1)?.is("{") == true else { return false }
            return (name + 2..<name + 12).contains { isText($0) && isCompared($0) }
        }
        return tokens.indices.compactMap { index in
            let token = tokens[index]
            if token.is("String"), tokens.indices.contains(index + 1) {
                let isKey = Self.opens(tokens, index, "[") && tokens[index + 1].is(":")
                let isMember = Self.opens(tokens, index, "<") && index > 1 && tokens[index - 2].is("Set")
                return isKey || isMember ? "\(token.line): a key of type String" : nil
            }
            guard index > 0, tokens[index - 1].is("."), let name = token.name else { return nil }
            let isFound =
                Self.always.contains(name) && !tokens[max(0, index - 2)].is("Self")
                || Self.withText.contains(name) && !Self.isAskedOfOther(tokens, index) && hasText(index)
            return isFound ? "\(token.line): \(name)" : nil
        }
    }

    private static func opens(_ tokens: [Token], _ index: Int, _ bracket: String) -> Bool {
        index > 0 && tokens[index - 1].is(bracket)
    }

    /// Whether what is before the dot is a view of bytes or scalars, or no text.
    private static func isAskedOfOther(_ tokens: [Token], _ index: Int) -> Bool {
        guard index > 1 else { return false }
        return tokens[index - 2].name.map { Self.noTexts.contains($0) } ?? false
    }

    @Test(arguments: [
        (#"text.hasPrefix(other)"#, ["1: hasPrefix"]), (#"text.contains("?")"#, ["1: contains"]),
        (#"text.split(separator: ",")"#, ["1: split"]), (#"text.prefix { $0 != ";" }"#, ["1: prefix"]),
        ("let a = 1\ntext.replacing(\"'\", with: \"\")", ["2: replacing"]),
        (#"name.lowercased()"#, ["1: lowercased"]), ("var members: [String: Int]", ["1: a key of type String"]),
        ("var seen: Set<String>", ["1: a key of type String"]),
        (#"text.utf8.prefix { $0 != UInt8(ascii: ";") }"#, []), (#"text.unicodeScalars.firstIndex(of: "/")"#, []),
        (#"text.utf8.split(separator: UInt8(ascii: ","))"#, []), (#"request.headers.contains("Range")"#, []),
        ("bytes.prefix(4)", []), ("// text.hasPrefix(other)", []), (#"let words = "a.hasPrefix(b)""#, []),
        (#"text.parts(at: ",")"#, []), ("var names: [String]", []), ("Self.replacing(text)", []),
        (#"all.contains { $0.name == "x" }"#, []), (#"all.contains(name) && name != "x""#, []),
    ])
    func `the rule finds what compares Characters`(source: String, found: [String]) {
        #expect(Self.words(in: source) == found)
    }

    // MARK: - What has to stay

    private static let reasons: [(reason: String, files: [String])] = [
        (
            "names and words that the app chooses, or that stand in this source",
            [
                "Errand/Coding/Decoding/DecodingProblem.swift",
                "Errand/Declaring/Accessory/RequestActivity.swift", "Errand/Declaring/Endpoint/Interceptor.swift",
                "Errand/Declaring/Endpoint/RequestDefaults.swift",
                "Errand/Declaring/Endpoint/EffectiveOptions.swift",
                "Errand/Declaring/Endpoint/RequestOptions+Modifiers.swift",
                "Errand/Declaring/Endpoint/RequestOptions.swift",
                "Errand/Declaring/Endpoint/Options/UploadResumption.swift",
                "Errand/Declaring/Endpoint/RequestPlan.swift",
                "Errand/Declaring/Resilience/RateLimits.swift",
                "Errand/Running/Configuration/ClientConfiguration+Groups.swift",
                "Errand/Running/Request/Request.swift", "Errand/Sending/Uploads/UploadRequests.swift",
                "Errand/Storing/Entries/CachePolicy.swift", "ErrandCLI/FarDemo.swift", "ErrandCLI/FarTransport.swift",
                "ErrandLogging/LogOutput.swift", "ErrandMetrics/MetricsOptions+Checking.swift",
                "ErrandOutbox/Outbox.swift", "ErrandTimeline/Rendering/SVGStyle.swift",
            ]
        ),
        (
            "looked up in a table of small letters of ASCII, which no other text is equal to",
            [
                "Errand/Running/Run/SentIdentity.swift", "Errand/Storing/HTTP/HTTPStorability.swift",
                "Errand/Storing/HTTP/HTTPValidation.swift", "Errand/Values/HTTP/HTTPFields.swift",
                "Errand/Sending/Downloads/SignedQuery.swift",
                "Errand/Storing/HTTP/HTTPRequest+Query.swift", "Errand/Storing/HTTP/HTTPVary.swift",
                "Errand/Values/HTTP/Charset.swift",
                "Errand/Values/HTTP/MIMEType+FileExtension.swift",
                "ErrandOutbox/Storing/StoredRequest.swift",
            ]
        ),
        (
            "hosts, origins and URLs, which are ASCII",
            [
                "Errand/Running/Coordination/ResponsePages.swift",
                "Errand/Running/Credentials/Digest/DigestAuthenticator.swift",
                "Errand/Running/Resilience/Circuits.swift",
                "Errand/Running/Resilience/Latencies.swift", "Errand/Running/Scheduling/Admission.swift",
                "Errand/Running/Scheduling/RequestScheduler.swift",
                "Errand/Sending/Authentication/OriginCredentials.swift",
                "Errand/Sending/Cookies/CookieTable.swift", "Errand/Sending/Curl/CurlConnections.swift",
                "Errand/Sending/Security/HostTable.swift",
                "Errand/Sending/Security/LoadedTLSPolicy.swift", "Errand/Sending/Security/TLSPolicy.swift",
                "Errand/Sending/URLSession/URLSessionTrust.swift",
            ]
        ),
        (
            "texts of ASCII that were made or checked before",
            [
                "Errand/Coding/Encoding/Parameters+Value.swift", "Errand/Declaring/Resilience/DeadlineHeader.swift",
                "Errand/Running/Credentials/OAuth/OAuthTokenCall.swift",
                "Errand/Sending/Downloads/DownloadLedger.swift",
                "Errand/Sending/Downloads/PartialDownload+Record.swift",
                "Errand/Sending/Downloads/PartialDownload.swift",
                "Errand/Sending/URLSession/HTTPResponseHead+Foundation.swift",
                "Errand/Values/JSON/JSONValue+Number.swift",
                "ErrandMetrics/Exposition/ExpositionWriter.swift", "ErrandTimeline/Rendering/SpanWords.swift",
                "ErrandTimeline/Rendering/Words.swift",
            ]
        ),
        (
            "as encoders and decoders compare names: what they take for one has to be one here",
            ["Errand/Coding/Encoding/Parameters.swift", "Errand/Values/JSON/JSONTwins.swift"]
        ),
        (
            "keys of structured fields, which are ASCII (RFC 9651 §3.1.2)",
            ["Errand/Values/HTTP/StructuredField.swift"]
        ),
        (
            "scalars, of which it asks what they are",
            ["Errand/Values/HTTP/SuggestedFilename.swift", "Errand/Values/Redaction/Redaction.swift"]
        ),
        (
            "what the user of the program or of this machine has written",
            [
                "Errand/Sending/Curl/CurlSettings.swift", "Errand/Sending/Security/PEMBlock.swift",
                "Errand/Values/HTTP/AcceptLanguage.swift", "ErrandCLI/Arguments.swift", "ErrandCLI/Command.swift",
                "ErrandCLI/GetOptions+Pace.swift", "ErrandCLI/GetPlan.swift", "ErrandCLI/GetTargets.swift",
                "ErrandCLI/Terminal.swift",
            ]
        ),
        (
            "what libraries of this machine say; an error of another code is the worst of it",
            [
                "Errand/Sending/Curl/CurlStreamTrace.swift",
                "Errand/Sending/Curl/ErrandError+Curl.swift", "Errand/Sending/Curl/ErrandError+CurlCauses.swift",
            ]
        ),
        (
            "some file systems take two spellings of a name for one, and so must this",
            ["ErrandCLI/OutputNames.swift"]
        ),
        (
            "paths of a server in the same process",
            ["ErrandCLI/DemoServer.swift"]
        ),
    ]

    @Test func `no source compares text from outside by Character, but for those named with a reason`() throws {
        let products = ["Errand", "ErrandLogging", "ErrandMetrics", "ErrandTimeline", "ErrandOutbox", "ErrandCLI"]
        let sources = Self.root.appending(path: "Sources").path
        let allowed = Set(Self.reasons.flatMap(\.files))
        // What is no Swift, in texts of other languages, no token is made of.
        var needless = allowed
        for product in products {
            let names = try FileManager.default.subpathsOfDirectory(atPath: "\(sources)/\(product)")
            for name in names.sorted() where name.hasSuffix(".swift") {
                let file = "\(product)/\(name)"
                let words = Self.words(in: try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8))
                if !words.isEmpty { needless.remove(file) }
                guard !allowed.contains(file) else { continue }
                #expect(words.isEmpty, "\(file): \(words.joined(separator: "; "))")
            }
        }
        #expect(needless.isEmpty, "nothing of that is left in \(needless.sorted().joined(separator: ", "))")
    }
}
