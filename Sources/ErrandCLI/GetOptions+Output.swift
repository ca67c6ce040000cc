/// The options about what is printed, and where bodies go.
extension GetOptions {
    static let outputOptions: [OptionDescription<GetOptions>] = [
        OptionDescription("--output", value: "DIR", "put each body into a file in this folder") {
            (options, text) throws(UsageError) in
            guard !text.isEmpty else { throw UsageError(message: "--output needs a folder") }
            options.outputFolder = text
        },
        OptionDescription("--timeline", value: "FILE", "draw what ran when, into an .svg or .html file") {
            options, text in options.timeline = text
        },
        OptionDescription("--json", flag: "print one JSON object per line") { $0.isJSON = true },
        OptionDescription("-q", "--quiet", flag: "show no progress") { $0.isQuiet = true },
        OptionDescription("--curl", flag: "print commands for curl, and send nothing") { $0.printsCurl = true },
        OptionDescription("--show-secrets", flag: "with --curl: print what is secret as well") {
            $0.showsSecrets = true
        },
    ]
}
