internal import Errand

/// The options of `errand cache`.
struct CacheOptions: Sendable, Hashable {
    /// The actions on the entries of a folder.
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
    /// The minimum age of entries to remove.
    var age: Duration?
    /// The host of entries to remove.
    var host: String?
    /// The header fields of the request to explain.
    var headers = HTTPFields()
    /// True to print JSON.
    var isJSON = false

    /// The description of the options on the command line.
    static let description = CommandDescription<CacheOptions>(
        name: "errand cache", synopsis: "list|remove|clear|explain DIR [URL…] [options]",
        summary: "Inspects a folder of cached responses from errand get --cache, and removes some or all of them.",
        options: [
            OptionDescription("--host", value: "HOST", "remove responses from this host") {
                options, text in options.host = text
            },
            OptionDescription("--older-than", value: "SECONDS", "remove responses older than this") {
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
            list prints a line for each entry, the oldest first: the status, its bytes in the folder, the time of
            storage, the method and the URL, with secrets hidden. In JSON:
            {"status":…,"bytes":…,"stored":…,"method":…,"url":…}
            For entries of --http-cache it also prints the end of their freshness, their validators, and the fields
            that they depend on or the number of responses that do: "fresh until", "etag", "last-modified", "varies",
            "variants".

            remove needs URLs, in which secrets are ignored, or an option; with several, an entry must match all of
            them. clear removes every entry. Files that are not entries are left alone.

            explain prints how errand get --http-cache would handle a URL now and why, line by line with the sections
            of the RFCs. Nothing is sent.

            Exit status: 0 success, 1 the folder does not exist, 2 invalid command line.
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
    /// A usage error of `errand cache`.
    static func cache(_ message: String) -> UsageError {
        UsageError(message: message, help: "\(CacheOptions.description.name) --help")
    }
}
