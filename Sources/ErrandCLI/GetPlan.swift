internal import Errand

internal import class Foundation.FileHandle
internal import struct Foundation.URL

/// A validated command line of `errand get`, checked before anything is sent.
struct GetPlan: Sendable {
    let targets: GetTargets
    /// The single call whose body is printed, or written to a named file.
    let single: Fetch?
    /// The file for the timeline.
    let timeline: TimelineFile?

    /// Validates options; reads only data to send from the standard input.
    init(_ options: GetOptions, input: FileHandle, until interruption: Interruption) throws(UsageError) {
        try Self.check(options)
        let request = try GetRequest(options, input: input)
        self.timeline = try options.timeline.map { path throws(UsageError) in
            try TimelineFile(path, of: GetOptions.description.name)
        }
        let lines = LineInput(input)
        var targets = try GetTargets(
            options.urls, sending: request, caching: options.caching, input: InputLines { lines.next() },
            until: interruption)
        self.single = options.asksForLines ? nil : targets.single
        guard self.single != nil || (!options.includesHead && options.outputFile == nil) else {
            throw .get("-i and -o are for one URL, without --json, --output, --cache, --timeline and --curl")
        }
        guard !targets.readsInput || !options.data.contains("@-") else {
            throw .get("the standard input cannot be both the URLs and what -d sends")
        }
        targets.folder = try options.outputFolder.map { path throws(UsageError) in try OutputFolder(path) }
        if options.continuesDownloads || options.segments != nil {
            targets.resumption = .automatic(segments: options.segments ?? 1)
        }
        targets.sha256 = options.checksum
        self.targets = targets
    }

    private static func check(_ options: GetOptions) throws(UsageError) {
        if options.cacheFolder == nil {
            if options.maximumAge != nil { throw .get("--max-age is for --cache") }
            if options.isOffline { throw .get("--offline is for --cache") }
            if options.usesHTTPCaching { throw .get("--http-cache is for --cache") }
        } else if options.usesHTTPCaching {
            if options.maximumAge != nil { throw .get("--max-age cannot go with --http-cache: responses decide that") }
            if options.cacheFolder == "" { throw .get("--cache needs the name of a folder") }
        } else if options.outputFolder != nil {
            throw .get("--cache cannot go with --output: files are not cached")
        } else if options.cacheFolder == "" {
            throw .get("--cache needs the name of a folder")
        } else if (options.method ?? .get) != .get || options.jsonBody != nil || !options.form.isEmpty
            || !options.data.isEmpty
        {
            throw .get("--cache is for GET: anything else has to reach the server")
        }
        try self.checkDownloads(options)
        guard options.printsCurl else {
            guard options.digest == nil || !options.urls.contains("-") else {
                throw .get("--digest is for URLs of the command line, not for those of the standard input")
            }
            // No line is printed for a single body.
            guard !options.showsSecrets || options.printsLines else { throw .get("--show-secrets is for --curl") }
            return
        }
        guard options.digest == nil else { throw .get("--curl cannot go with --digest: no server has asked") }
        guard options.timeline == nil else { throw .get("--curl cannot go with --timeline: nothing is sent") }
        guard options.outputFolder == nil, !options.isJSON else {
            throw .get("--curl cannot go with --output or --json: nothing is sent")
        }
    }

    private static func checkDownloads(_ options: GetOptions) throws(UsageError) {
        let resumes = options.continuesDownloads || options.segments != nil
        guard resumes || options.checksum != nil else { return }
        guard options.outputFolder != nil else {
            throw .get("--continue, --segments and --checksum are for --output")
        }
        guard options.checksum == nil || options.urls.count == 1 && options.urls != ["-"] else {
            throw .get("--checksum is for one URL")
        }
        let hasBody = options.jsonBody != nil || !options.form.isEmpty || !options.data.isEmpty
        guard !resumes || (options.method ?? .get) == .get && !hasBody else {
            throw .get("--continue and --segments are for GET: only a GET can be repeated")
        }
    }

    /// Returns the curl command that sends the same request.
    static func curlCommand(_ fetch: Fetch, showingSecrets: Bool) throws(ErrandError) -> String {
        let plan = RequestPlan(Client.Configuration().requestDefaults)
        let terms = RequestTerms(plan: plan, options: plan.options.merging(fetch.options))
        return try fetch.resolve(under: terms).request.curlCommand(showingSecrets: showingSecrets)
    }
}

extension GetOptions {
    /// The cache policy, with the maximum age.
    fileprivate var caching: CachePolicy {
        if self.usesHTTPCaching { return .http }
        return self.cacheFolder == nil ? .never : .fresh(for: self.maximumAge ?? Self.usualAge)
    }

    /// True if there is a line for each URL.
    fileprivate var printsLines: Bool { self.asksForLines || self.urls.count > 1 || self.urls == ["-"] }

    /// True if a line is requested, even with one URL.
    fileprivate var asksForLines: Bool {
        self.isJSON || self.outputFolder != nil || self.cacheFolder != nil || self.timeline != nil || self.printsCurl
    }
}
