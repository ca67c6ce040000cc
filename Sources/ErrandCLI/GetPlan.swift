internal import Errand

internal import struct Foundation.URL

/// Everything that a command line of `errand get` asks for, checked before anything is sent.
struct GetPlan: Sendable {
    let fetches: [Fetch]
    /// Where what ran when is drawn into.
    let timeline: TimelineFile?

    /// Reads options, and the standard input where they say so.
    init(_ options: GetOptions, readInput: () -> String?) throws(UsageError) {
        try Self.check(options)
        let request = try GetRequest(options)
        self.timeline = try options.timeline.map { path throws(UsageError) in
            try TimelineFile(path, of: GetOptions.description.name)
        }
        let urls = try GetTargets(options.urls, readInput: readInput).urls
        let files = try options.outputFolder.map { path throws(UsageError) in
            try OutputFolder(path).files(for: urls)
        }
        self.fetches = urls.enumerated().map {
            Fetch(url: $1, request: request, file: files?[$0], caching: options.caching)
        }
    }

    private static func check(_ options: GetOptions) throws(UsageError) {
        if options.cacheFolder == nil {
            if options.maximumAge != nil { throw .get("--max-age is for --cache") }
            if options.isOffline { throw .get("--offline is for --cache") }
        } else if options.outputFolder != nil {
            throw .get("--cache cannot go with --output: what goes into a file is not kept")
        } else if options.cacheFolder == "" {
            throw .get("--cache needs the name of a folder")
        } else if (options.method ?? .get) != .get || options.jsonBody != nil || !options.form.isEmpty {
            throw .get("--cache is for GET: anything else has to reach the server")
        }
        guard options.printsCurl else {
            if options.showsSecrets { throw .get("--show-secrets is for --curl") }
            return
        }
        guard options.timeline == nil else { throw .get("--curl cannot go with --timeline: nothing is sent") }
        guard options.outputFolder == nil, !options.isJSON else {
            throw .get("--curl cannot go with --output or --json: nothing is sent")
        }
    }

    /// The commands for the program curl that send the same.
    func curlCommands(showingSecrets: Bool) throws(UsageError) -> [String] {
        let plan = RequestPlan(Configuration().requestDefaults)
        var commands: [String] = []
        for fetch in self.fetches {
            do throws(ErrandError) {
                commands.append(try fetch.resolve(with: plan).curlCommand(showingSecrets: showingSecrets))
            } catch {
                throw .get(error.message)
            }
        }
        return commands
    }
}

extension GetOptions {
    /// Whether answers may be kept, and how old those may be that are used.
    fileprivate var caching: CachePolicy {
        self.cacheFolder == nil ? .never : .fresh(for: self.maximumAge ?? Self.usualAge)
    }
}
