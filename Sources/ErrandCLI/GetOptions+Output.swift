internal import Errand

/// The options about output and files.
extension GetOptions {
    private static let checksumPrefix = "sha256:"

    static let outputOptions: [OptionDescription<GetOptions>] = [
        OptionDescription("--output", value: "DIR", "write each body to a file in this folder") {
            (options, text) throws(UsageError) in
            guard !text.isEmpty else { throw UsageError(message: "--output needs a folder") }
            options.outputFolder = text
        },
        OptionDescription("--continue", flag: "with --output: resume interrupted downloads") {
            $0.continuesDownloads = true
        },
        OptionDescription("--segments", value: "N", "with --output: download a large file in N parts at once") {
            (options, text) throws(UsageError) in
            guard let segments = Int(text), 1...16 ~= segments else {
                throw UsageError(message: "--segments needs a whole number from 1 to 16, not \"\(text)\"")
            }
            options.segments = segments
        },
        OptionDescription("--checksum", value: "sha256:HEX", "with --output: the digest that the body must have") {
            (options, text) throws(UsageError) in
            let digits = text.dropFirst(Self.checksumPrefix.count)
            guard text.asciiLowercased().startsExactly(with: Self.checksumPrefix), digits.count == 64,
                digits.allSatisfy(\.isHexDigit)
            else { throw UsageError(message: "--checksum needs sha256: and 64 hexadecimal digits") }
            options.checksum = digits.asciiLowercased()
        },
        OptionDescription("--timeline", value: "FILE", "draw a timeline into an .svg or .html file") {
            options, text in options.timeline = text
        },
        OptionDescription("--json", flag: "print one JSON object per line") { $0.isJSON = true },
        OptionDescription("-q", "--quiet", flag: "show no progress") { $0.isQuiet = true },
        OptionDescription("--curl", flag: "print commands for curl, and send nothing") { $0.printsCurl = true },
        OptionDescription("--show-secrets", flag: "print secrets as well, in commands, lines and JSON") {
            $0.showsSecrets = true
        },
    ]
}
