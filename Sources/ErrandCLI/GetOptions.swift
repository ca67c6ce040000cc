internal import Errand

/// Options of `errand get`.
struct GetOptions: Sendable, Hashable {
    /// The URLs as given; `-` stands for the standard input.
    var urls: [String] = []

    /// The method; `nil` for POST with a body, and otherwise GET.
    var method: HTTPMethod?
    /// Header fields of every request.
    var headers = HTTPFields()
    /// Names of default header fields to omit.
    var omittedHeaders: [String] = []
    /// Query items to add to every URL.
    var query = Parameters()
    /// The items of the form, in order.
    var form: [FormItem] = []
    /// The JSON body, or `@` and the path of a file with it.
    var jsonBody: String?
    /// The pieces of raw data; `@` and a path stand for a file, `@-` for the standard input.
    var data: [String] = []
    /// The credential.
    var credential: HTTPCredential?
    /// The login for servers that ask for Digest.
    var digest: DigestLogin?

    /// The maximum number of requests in flight; `nil` for the default.
    var width: Int?
    /// The timeout of one request.
    var timeout: Duration?
    /// The maximum number of body bytes that all requests transfer per second, in each direction.
    var rate: Int?

    /// The settings for connections.
    var network = TransportSettings()

    /// The folder for cached responses; `nil` disables caching.
    var cacheFolder: String?
    /// True to cache by the rules of HTTP.
    var usesHTTPCaching = false
    /// The maximum age of a cached response; `nil` for the default.
    var maximumAge: Duration?
    /// True to send no requests.
    var isOffline = false

    /// The file for the body of a single URL; `nil` or `-` prints it.
    var outputFile: String?
    /// True to print the head of the response before its body.
    var includesHead = false
    /// The folder for bodies; `nil` only counts their bytes.
    var outputFolder: String?
    /// True to resume interrupted downloads into that folder.
    var continuesDownloads = false
    /// The number of connections over which a file is downloaded; `nil` for one.
    var segments: Int?
    /// The required SHA-256 of the body of a single URL, in hexadecimal digits.
    var checksum: String?
    /// The file for the timeline.
    var timeline: String?
    /// True to print lines as JSON.
    var isJSON = false
    /// True to show no progress.
    var isQuiet = false
    /// True to print curl commands instead of sending requests.
    var printsCurl = false
    /// True to print secrets.
    var showsSecrets = false

    /// True if bodies are written to files.
    var writesFiles: Bool { self.outputFolder != nil || (self.outputFile ?? "-") != "-" }
    /// The maximum number of requests in flight: files share the bandwidth, which a few of them fill.
    var atOnce: Int { self.width ?? (self.outputFolder == nil ? 16 : 4) }
    /// The number of connections needed: each part of a file has its own.
    var connections: Int { self.atOnce * (self.segments ?? 1) }

    /// A user and a password that are not sent in the clear.
    struct DigestLogin: Sendable, Hashable {
        let user: String
        let password: String
    }

    /// One item of a form, as given on the command line.
    enum FormItem: Sendable, Hashable {
        case field(name: String, value: String)
        case file(name: String, path: String)
    }

    /// The description of the options on the command line.
    static let description = CommandDescription<GetOptions>(
        name: "errand get", synopsis: "URL… [options]",
        summary: "Prints the body of one URL; sends requests to many at a time, and prints a line for each in order.",
        options: Self.curlOptions + Self.requestOptions + Self.paceOptions + Self.networkOptions + Self.cacheOptions
            + Self.outputOptions,
        details: """
            With one URL the body is written to the standard output unchanged, as it arrives and whatever the status;
            its line is written to the standard error if that is a terminal. Lines replace the body with --json,
            --output, --cache and --timeline, with more than one URL, and with a URL of -.

            A URL of - reads URLs from the standard input, one per line, as they arrive; empty lines are skipped, and
            an invalid URL fails alone. A URL without http:// or https:// before its host is http. The same request is
            sent to every URL. Of options that may not be repeated the last one counts.

            -X, -H, -d, -i and -o are those of curl. -d sends a POST with the type of a form unless -X and -H say
            otherwise; pieces are joined with &, @PATH reads one from a file and @- from the standard input, without
            line breaks. -H "NAME:" omits a field, and -H "NAME;" sends an empty one. -o writes to FILE as the body
            arrives. A response with a status of 400 or above is not written to a file: it is an error, with the
            beginning of its body.
            Content codings of the body are decoded; the head that -i prints still names them.

            --digest authenticates only to the servers of the URLs on the command line, when they ask for it.

            The method is POST with a body, and otherwise GET. --form alone sends a form as HTML does; with --file it
            is a multipart form, in the order given. Names and values are sent unchanged.

            A line has the status, the bytes of the body, the seconds from start to end, and the URL; without a
            response, also the reason; with --output, also the file. In JSON:
            {"url":…,"status":…,"bytes":…,"seconds":…,"error":…}
            where error is null or {"code":…,"message":…}, and unknown values are null; with --output there is also a
            member "file".

            With --output each body is written to a file of its own, named after the last path component of its URL
            without leading dots, or index if there is none, with -2, -3 for repeated names. A file appears when its
            body is complete, and replaces one with the same name. DIR is created if it does not exist. A response
            with a status of 400 or above creates and replaces no file: its line has the beginning of its body.

            On a terminal a line for each file in flight shows its progress, its rate and the time left, and a last
            line the same for all; -q hides them. The same applies to -o FILE.

            With --continue the received part of a body stays in DIR, hidden, when its connection is lost or the
            program ends; the same command resumes there, if the server confirms that the body is unchanged. A status
            outside of 200 to 299 is an error then, without a file. --checksum is for one URL: a body with another
            digest is an error, without a file.

            With --segments a large file is downloaded in N parts at once, each over its own connection, if the server
            supports ranges; that helps if each connection is slow. Received parts are kept as with --continue.

            With --cache a line shows whether the response came from the network or the cache, and its age; in JSON
            these are the members "source" and "age". A response with a status of 400 or above is not cached.

            With --timeline the waterfall of all requests is drawn when they have ended, without secrets; of more than
            10000 requests, the first ones. The file appears when it is complete, and replaces one with the same name.

            --curl sends nothing: it prints a curl command for each URL, for a shell to run. Hidden secrets, and forms
            with files, are printed as ***.

            A body that is neither printed nor written to a file is an error if it has more than 64 MiB. Up to 20
            redirects are followed, but none from https to http. Without --proxy, proxies are taken from the
            environment (http_proxy, https_proxy, no_proxy). HTTP/2 is used if a server negotiates it over TLS.

            Exit status: 0 each URL has a response with a status below 400, 1 at least one has not (its body is
            printed nevertheless, but not with -o and --output), 2 invalid command line (nothing was sent), 130
            interrupted.
            """,
        positional: { options, text in options.urls.append(text) })
}

extension UsageError {
    /// A usage error of `errand get`.
    static func get(_ message: String) -> UsageError {
        UsageError(message: message, help: "\(GetOptions.description.name) --help")
    }
}
