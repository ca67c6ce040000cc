internal import Errand

/// Options of `errand get`.
struct GetOptions: Sendable, Hashable {
    /// The URLs as they were given; `-` stands for the standard input.
    var urls: [String] = []

    /// The method; `nil` for the one that fits.
    var method: HTTPMethod?
    /// Header fields of every request.
    var headers = HTTPFields()
    /// Header fields that no request has.
    var omittedHeaders: [String] = []
    /// Items for the query of every URL.
    var query = Parameters()
    /// The items of the form that is sent, in their order.
    var form: [FormItem] = []
    /// The JSON that is sent, or `@` and the path of a file with it.
    var jsonBody: String?
    /// What is sent as it is, piece by piece; `@` and a path stand for a file, `@-` for the standard input.
    var data: [String] = []
    /// What proves who asks.
    var credential: HTTPCredential?
    /// The same for servers that ask for a digest.
    var digest: DigestLogin?

    /// The most URLs under way at once; `nil` for as many as are usual.
    var width: Int?
    /// The longest time of one request.
    var timeout: Duration?
    /// The most bytes of bodies that all requests move in a second, in each direction.
    var rate: Int?

    /// How servers are reached.
    var network = TransportSettings()
    /// What reaches them; `nil` for the best one of the platform.
    var transport: TransportChoice?

    /// The folder that answers are kept in; nothing to keep none.
    var cacheFolder: String?
    /// Whether answers are kept and used as they say themselves.
    var usesHTTPCaching = false
    /// How old a kept answer may be; `nil` for the usual age.
    var maximumAge: Duration?
    /// Whether nothing is sent.
    var isOffline = false

    /// The file that the body of the only URL goes into; nothing or `-` to print it.
    var outputFile: String?
    /// Whether the head of the response is printed before its body.
    var includesHead = false
    /// The folder that bodies go into; nothing to count their bytes only.
    var outputFolder: String?
    /// Whether downloads into that folder go on where earlier ones were interrupted.
    var continuesDownloads = false
    /// Over how many connections a file is loaded at once; `nil` for one.
    var segments: Int?
    /// The SHA-256 that the body of the only URL must have, in hexadecimal digits.
    var checksum: String?
    /// The file that what ran when is drawn into.
    var timeline: String?
    /// Whether lines are JSON.
    var isJSON = false
    /// Whether no progress is shown.
    var isQuiet = false
    /// Whether commands for curl are printed and nothing is sent.
    var printsCurl = false
    /// Whether those commands have secrets in them.
    var showsSecrets = false

    /// Whether bodies go into files.
    var writesFiles: Bool { self.outputFolder != nil || (self.outputFile ?? "-") != "-" }
    /// The most URLs under way at once: files share one line, and few of them fill it.
    var atOnce: Int { self.width ?? (self.outputFolder == nil ? 16 : 4) }
    /// The number of connections that this takes: each part of a file has its own.
    var connections: Int { self.atOnce * (self.segments ?? 1) }

    /// A user and a password that are not sent.
    struct DigestLogin: Sendable, Hashable {
        let user: String
        let password: String
    }

    /// The transports that can be asked for by name.
    enum TransportChoice: String, CaseIterable {
        case curl
        case urlsession
    }

    /// One item of a form, as the command line names it.
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
            With one URL the body goes to the standard output byte for byte, as it comes and whatever the status; its line
            goes to the standard error if that is a terminal. Lines take its place with --json, --output, --cache and
            --timeline, with more than one URL, and with a URL of -.

            A URL of - reads URLs from the standard input, one a line, as they come; empty lines are skipped, and one that
            is no URL fails by itself. A URL without http:// or https:// before its host is http. Every URL is sent the
            same. Of options that may not be repeated the last one counts.

            -X, -H, -d, -i and -o are those of curl. -d sends a POST with the type of a form unless -X and -H say
            otherwise; pieces are joined with &, @PATH reads one from a file and @- from the standard input, without line
            breaks. -H "NAME:" leaves a field out, and -H "NAME;" sends an empty one. -o writes into FILE as the body comes.
            An answer with a status of 400 or above is written into no file: it is an error, with the beginning of what it
            says.
            The body is without the content codings that it came with, of which the head of -i still tells.

            --digest answers the servers of the URLs that the command line names, once they ask, and no others.

            The method is POST where there is a body, and GET elsewhere. --form alone makes a form as HTML has it; with
            --file it is one of several parts, in the order given. Names and values are sent as they are.

            A line has the status, the bytes of the body, the seconds from start to end, and the URL; without a
            response, also why; with --output, also the file. In JSON:
            {"url":…,"status":…,"bytes":…,"seconds":…,"error":…}
            where error is null or {"code":…,"message":…}, and what is not known is null; with --output there is a
            member "file" too.

            With --output each body goes into a file of its own, with the name that ends the path of its URL, without
            dots before it; index where there is none, and -2, -3 for repeated names. A file is there when its body is
            complete, in place of one that had its name. DIR is made where it is missing. An answer with a status of 400
            or above is no file, and leaves one as it is: its line has the beginning of what it says.

            On a terminal a line for each file that is under way says how far it is, how fast it comes and how long it will
            take, and a last line says so of all; -q shows none of them. So it is with -o FILE.

            With --continue what has come of a body stays in DIR, hidden, when its connection is lost or the program is
            ended; the same command goes on from there, if the server says that the body is still the same one. A status
            outside of 200 to 299 is an error then, and its body no file. --checksum is for one URL: a body with another
            digest is an error, and no file.

            With --segments a large file is loaded in as many parts at once, each over a connection of its own, if the
            server serves parts; that helps where each connection is slow. What has come is kept as with --continue.

            With --cache a line says whether the answer came from the network or the cache, and how old it is; in JSON
            these are the members "source" and "age". An answer with a status of 400 or above is not kept.

            With --timeline the waterfall of all requests is drawn when they are over, without secrets; of more than 10000
            requests, the first ones. The file is there when it is complete, in place of one that had its name.

            --curl sends nothing: it prints a command of the program curl for each URL, for a shell to run. Where a
            secret is hidden, and in place of a form with files, it has ***.

            A body that is neither printed nor put into a file is an error if it has more than 64 MiB. Up to 20
            redirections are followed, but none from https to http. Without --proxy, proxies are taken from the
            environment (http_proxy, https_proxy, no_proxy).
            HTTP/2 is spoken where a server agrees on it over TLS.

            Exit status: 0 each URL answered with a status below 400, 1 one did not (its body is printed all
            the same, but for -o and --output), 2 the command line makes no sense (nothing was sent), 130 interrupted.
            """,
        positional: { options, text in options.urls.append(text) })
}

extension UsageError {
    /// A command line of `errand get` that makes no sense.
    static func get(_ message: String) -> UsageError {
        UsageError(message: message, help: "\(GetOptions.description.name) --help")
    }
}
