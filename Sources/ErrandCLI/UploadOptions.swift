internal import Errand

/// Options of `errand upload`.
struct UploadOptions: Sendable {
    /// The protocol by which an upload is resumed.
    enum Resumption: String {
        case tus = "--tus"
        case draft = "--resumable"
    }

    /// The file that is sent.
    var file: String?
    /// Where it is sent to.
    var url: String?
    /// The method; `nil` for POST.
    var method: HTTPMethod?
    /// Header fields of the request.
    var headers = HTTPFields()
    /// How it is resumed; `nil` to send it once.
    var resumption: Resumption?
    /// The interop version of the draft that is offered first; `nil` for the newest.
    var interopVersion: Int?
    /// The folder in which it is noted how far it is.
    var folder: String?
    /// Whether no progress is shown.
    var isQuiet = false

    /// The description of the options on the command line.
    static let description = CommandDescription<UploadOptions>(
        name: "errand upload", synopsis: "FILE URL [options]",
        summary: "Sends a file, and goes on with it where the connection was lost.",
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
            OptionDescription("--resumable", flag: "resume by the draft of the IETF, if the server offers that") {
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
            OptionDescription("--tus", flag: "resume by tus 1.0.0, with a server that has it") {
                $0.resumption = .tus
            },
            OptionDescription("--continue", value: "DIR", "note in DIR how far it is, and go on from there") {
                (options, text) throws(UsageError) in
                guard !text.isEmpty else { throw UsageError(message: "--continue needs a folder") }
                options.folder = text
            },
            OptionDescription("-q", "--quiet", flag: "show no progress") { $0.isQuiet = true },
        ],
        details: """
            The body of the response goes to the standard output; with --tus there is none. The Content-Type is that of
            the name of FILE unless --header says otherwise. On a terminal a line says how far it is, how fast and how long
            it will take; -q shows none.

            With --resumable or --tus a connection that is lost is followed by the question how much the server has, and
            by the rest: at once, and after 1, 3 and 5 seconds when that brought nothing. With --continue the same command
            goes on also when the program was ended. A file that has changed begins anew. A server that refuses the version
            which --resumable offers is sent the file once more with another one, and then without an offer.

            Exit status: 0 the server answered with a status from 200 to 299, 1 it did not, or the file was not sent,
            2 the command line makes no sense (nothing was sent), 130 interrupted.
            """,
        positional: { (options, text) throws(UsageError) in
            if options.file == nil {
                options.file = text
            } else if options.url == nil {
                options.url = text
            } else {
                throw UsageError(message: "a file and a URL are all that is sent, and \"\(text)\" is more")
            }
        })
}

extension UsageError {
    /// A command line of `errand upload` that makes no sense.
    static func upload(_ message: String) -> UsageError {
        UsageError(message: message, help: "\(UploadOptions.description.name) --help")
    }
}
