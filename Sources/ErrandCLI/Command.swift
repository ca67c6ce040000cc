/// A parsed command line.
enum Command: Sendable {
    /// Prints the given text.
    case help(String)
    /// Prints the version.
    case version
    /// Demonstrates the library.
    case demo(DemoOptions)
    /// Sends requests to URLs.
    case get(GetOptions)
    /// Sends a file.
    case upload(UploadOptions)
    /// Inspects a folder of cached responses.
    case cache(CacheOptions)

    /// Parses the arguments after the program's name.
    init(parsing arguments: [String]) throws(UsageError) {
        guard let name = arguments.first else { throw UsageError(message: "name a command") }
        let rest = Array(arguments.dropFirst())
        switch name {
        case "demo": self = try Self.demo(parsing: rest)
        case "get": self = try Self.get(parsing: rest)
        case "upload": self = try Self.upload(parsing: rest)
        case "cache": self = try Self.cache(parsing: rest)
        case "help": self = try Self.help(for: rest)
        case "--help", "-h": self = .help(Self.overview)
        case "--version": self = .version
        case _ where name.hasPrefix("-"): throw UsageError(message: "unknown option \"\(name)\"")
        default: throw UsageError(message: "there is no command \"\(name)\"")
        }
    }

    private static func demo(parsing arguments: [String]) throws(UsageError) -> Command {
        let description = DemoOptions.description
        guard let options = try description.parse(arguments, into: DemoOptions()) else {
            return .help(description.help)
        }
        return .demo(options)
    }

    private static func get(parsing arguments: [String]) throws(UsageError) -> Command {
        let description = GetOptions.description
        guard let options = try description.parse(arguments, into: GetOptions()) else {
            return .help(description.help)
        }
        return .get(options)
    }

    private static func upload(parsing arguments: [String]) throws(UsageError) -> Command {
        let description = UploadOptions.description
        guard let options = try description.parse(arguments, into: UploadOptions()) else {
            return .help(description.help)
        }
        return .upload(options)
    }

    private static func cache(parsing arguments: [String]) throws(UsageError) -> Command {
        let description = CacheOptions.description
        guard let options = try description.parse(arguments, into: CacheOptions()) else {
            return .help(description.help)
        }
        return .cache(options)
    }

    private static func help(for topics: [String]) throws(UsageError) -> Command {
        guard topics.count <= 1 else { throw UsageError(message: "help takes one command at a time") }
        switch topics.first {
        case nil, "help", "--help", "-h": return .help(Self.overview)
        case "demo": return .help(DemoOptions.description.help)
        case "get": return .help(GetOptions.description.help)
        case "upload": return .help(UploadOptions.description.help)
        case "cache": return .help(CacheOptions.description.help)
        case let topic?: throw UsageError(message: "there is no command \"\(topic)\"")
        }
    }

    /// The help of the program as a whole.
    static let overview = """
        usage: errand demo [options]
               errand get URL… [options]
               errand upload FILE URL [options]
               errand cache list|remove|clear|explain DIR [URL…] [options]
               errand help [COMMAND]
               errand --version

        Sends HTTP requests with the Errand library.

          demo    play scenes against a local server, and check that each has the expected outcome
          get     send requests to URLs, many at a time
          upload  send a file, and resume it after a lost connection
          cache   inspect a folder of responses that get has cached

        Every command explains itself with --help.

        Exit status: 0 success, 1 failure, 2 invalid command line, 130 interrupted.

        """
}
