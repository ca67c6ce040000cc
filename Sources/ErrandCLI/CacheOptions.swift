internal import Errand

/// What `errand cache` is asked to do.
struct CacheOptions: Sendable, Hashable {
    /// What is done with the entries of a folder.
    enum Action: String, CaseIterable {
        case list
        case remove
        case clear
        case explain
    }

    var action: Action?
    /// The folder.
    var folder: String?
    /// The URLs whose entries are removed or explained.
    var urls: [String] = []
    /// Only what has been kept for longer is removed.
    var age: Duration?
    /// Only what comes from this host is removed.
    var host: String?
    /// The header fields of a request that is explained.
    var headers = HTTPFields()
    /// Whether lines are JSON.
    var isJSON = false

    /// How the command line says all that.
    static let description = CommandDescription<CacheOptions>(
        name: "errand cache", synopsis: "list|remove|clear|explain DIR [URL…] [options]",
        summary: "Looks into a folder that errand get --cache keeps answers in, and removes some of them or all.",
        options: [
            OptionDescription("--host", value: "HOST", "remove what comes from this host") {
                options, text in options.host = text
            },
            OptionDescription("--older-than", value: "SECONDS", "remove what has been kept for longer") {
                (options, text) throws(UsageError) in
                guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else {
                    throw UsageError(message: "--older-than needs a number of seconds, not \"\(text)\"")
                }
                options.age = .seconds(seconds)
            },
            OptionDescription(
                "--header", value: "\"NAME: VALUE\"", "explain a request with this field; may be repeated"
            ) {
                (options, text) throws(UsageError) in
                let field = try GetOptions.header(text)
                options.headers.append(name: field.name, value: field.value)
            },
            OptionDescription("--json", flag: "print a JSON object for each entry") { $0.isJSON = true },
        ],
        details: """
            list prints a line for each entry, the oldest first: the status, its bytes in the folder, when it was kept,
            the method and the URL, in which secrets are hidden. In JSON:
            {"status":…,"bytes":…,"stored":…,"method":…,"url":…}
            Of what --http-cache has kept it tells until when it is fresh, its validators, and the fields that it depends on or how many
            answers there are that do: "fresh until", "etag", "last-modified", "varies", "variants".

            remove needs URLs, of which secrets make no difference, or an option that says what; with several, an entry has to fit all of
            them. clear removes every entry. Files that are no entries are left alone.

            explain says what errand get --http-cache would do now for a URL and why, line by line with the sections of the RFCs. Nothing
            is sent.

            Exit status: 0 done, 1 the folder is not there, 2 the command line makes no sense.
            """,
        positional: { (options, text) throws(UsageError) in
            if options.action == nil {
                guard let action = Action(rawValue: text) else {
                    throw UsageError(message: "there is no \"errand cache \(text)\"")
                }
                options.action = action
            } else if options.folder == nil {
                options.folder = text
            } else {
                options.urls.append(text)
            }
        })
}

extension UsageError {
    /// A command line of `errand cache` that makes no sense.
    static func cache(_ message: String) -> UsageError {
        UsageError(message: message, help: "\(CacheOptions.description.name) --help")
    }
}
