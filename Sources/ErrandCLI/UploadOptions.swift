internal import Errand

/// Options of `errand upload`.
struct UploadOptions: Sendable {
    /// The protocol for resuming an upload.
    enum Resumption: String {
        case tus = "--tus"
        case draft = "--resumable"
    }

    /// The file to send.
    var file: String?
    /// The URL to which it is sent.
    var url: String?
    /// The method; `nil` for POST.
    var method: HTTPMethod?
    /// Header fields of the request.
    var headers = HTTPFields()
    /// The protocol for resuming it; `nil` sends it once.
    var resumption: Resumption?
    /// The interop version of the draft to offer first; `nil` for the newest.
    var interopVersion: Int?
    /// The folder in which the progress of the upload is recorded.
    var folder: String?
    /// True to show no progress.
    var isQuiet = false

    /// The description of the options on the command line.
    static let description = CommandDescription<UploadOptions>(
        name: "errand upload", synopsis: "FILE URL [options]",
        summary: "Sends a file, and resumes it after a lost connection.",
        options: [
            OptionDescription("--method", value: "METHOD", "POST, PUT or PATCH (default POST)") {
                (options, text) throws(UsageError) in
                guard ["POST", "PUT", "PATCH"].contains(text) else {
                    throw UsageError(message: "--method is POST, PUT or PATCH, not \"\(text)\"")
                }
                options.method = HTTPMethod(rawValue: text)
            },
            OptionDescription("-H", "--header", value: "\"NAME: VALUE\"", "send this header field; may be repeated") {
                (options, text) throws(UsageError) in
                let field = try GetOptions.header(text)
                options.headers.append(name: field.name, value: field.value)
            },
            OptionDescription("--resumable", flag: "resume by the IETF draft, if the server supports it") {
                $0.resumption = .draft
            },
            OptionDescription(
                "--interop", value: "N",
                "with --resumable: offer this version of the draft first (3 to 8, default 8)"
            ) {
                (options, text) throws(UsageError) in
                let versions = UploadResumption.interopVersions
                guard let version = Int(text), versions.contains(version) else {
                    throw UsageError(
                        message: "--interop is \(versions.lowerBound) to \(versions.upperBound), not \"\(text)\"")
                }
                options.interopVersion = version
            },
            OptionDescription("--tus", flag: "resume by tus 1.0.0, with a server that supports it") {
                $0.resumption = .tus
            },
            OptionDescription("--continue", value: "DIR", "record the progress in DIR, and resume from there") {
                (options, text) throws(UsageError) in
                guard !text.isEmpty else { throw UsageError(message: "--continue needs a folder") }
                options.folder = text
            },
            OptionDescription("-q", "--quiet", flag: "show no progress") { $0.isQuiet = true },
        ],
        details: """
            The body of the response is written to the standard output; with --tus there is none. The Content-Type is
            that of the name of FILE unless --header says otherwise. On a terminal a line shows the progress, the rate
            and the time left; -q hides it.

            With --resumable or --tus, after a lost connection the server is asked for its offset and sent the rest:
            at once, and after 1, 3 and 5 seconds if that made no progress. With --continue the same command also
            resumes after the program ended. A file that has changed is sent from its beginning. If a server refuses
            the version that --resumable offers, the file is sent again with another version, and then without an
            offer.

            Exit status: 0 the server responded with a status from 200 to 299, 1 it did not, or the file was not sent,
            2 invalid command line (nothing was sent), 130 interrupted.
            """,
        positional: { (options, text) throws(UsageError) in
            if options.file == nil {
                options.file = text
            } else if options.url == nil {
                options.url = text
            } else {
                throw UsageError(message: "only a file and a URL are accepted, not \"\(text)\" as well")
            }
        })
}

extension UsageError {
    /// A usage error of `errand upload`.
    static func upload(_ message: String) -> UsageError {
        UsageError(message: message, help: "\(UploadOptions.description.name) --help")
    }
}
