internal import Errand
internal import ErrandLocks
internal import ErrandTimeline

internal import struct Foundation.URL

/// The command `errand get`: sends requests and prints the results in the order of the URLs.
struct Get: Sendable {
    private let plan: GetPlan
    private let options: GetOptions
    private let timeouts: Timeouts
    private let console: Console
    private let interruption: Interruption
    private let stopwatch = Stopwatch()
    private let notices = Notices()
    private let cache: DiskCache?
    private let timeline: TimelineAccessory?
    private let board: TransferBoard?

    init(
        _ plan: GetPlan, _ options: GetOptions, _ timeouts: Timeouts, console: Console, interruption: Interruption
    ) {
        self.plan = plan
        self.options = options
        self.timeouts = timeouts
        self.timeline = plan.timeline.map { _ in TimelineAccessory() }
        self.cache = options.cacheFolder.map { path in
            // Keeps entries at least as long as the command line accepts them.
            let age = max(.seconds(30 * 24 * 60 * 60), options.maximumAge ?? .zero)
            return DiskCache(folder: URL(filePath: path, directoryHint: .isDirectory), maximumAge: age)
        }
        self.board =
            options.writesFiles && !options.isQuiet && console.showsTransfers
            ? TransferBoard(.received, count: plan.targets.count) : nil
        self.console = console
        self.interruption = interruption
    }

    /// Sends all requests; returns the exit code.
    func run() async throws(UsageError) -> Int32 {
        let client = self.makeClient()
        self.interruption.onRaise {
            // Unstructured, since a signal handler cannot wait. Ends when all requests have been cancelled.
            Task { await client.cancelAll() }
        }
        let isFine = await self.fetch(with: client)
        await client.shutdown()
        await self.finish()
        guard let isFine else { throw .noURL }
        let isDrawn = await self.drawTimeline()
        return isFine && isDrawn ? Program.ExitCode.success : Program.ExitCode.failure
    }

    private func makeClient() -> Client {
        Client {
            let count = self.options.connections
            $0.limits.concurrency = RequestScheduler.Limits(total: count, perHost: count)
            $0.options = RequestOptions().timeouts(self.timeouts).timeout(attempt: self.options.timeout)
            if let rate = self.options.rate {
                $0.options = $0.options.bandwidth(BandwidthLimit(sending: rate, receiving: rate))
            }
            $0.accessories = [self.stopwatch, self.notices]
            if let timeline = self.timeline { $0.accessories.append(timeline) }
            if let board = self.board { $0.accessories.append(board) }
            $0.cache = self.cache
            if let login = self.options.digest {
                $0.credentials.authenticator = DigestAuthenticator(user: login.user, password: login.password)
                // Only the servers of the URLs on the command line get the credentials.
                for url in self.options.urls {
                    if let origin = try? HTTPURL(GetTargets.url(url)).origin { $0.baseURLs.named[origin] = origin }
                }
            }
            $0.network = self.options.network
        }
    }

    /// Sends all requests; returns whether all succeeded, or `nil` if there was no URL.
    private func fetch(with client: Client) async -> Bool? {
        guard let board = self.board else {
            if !self.options.isQuiet, self.plan.single == nil, let count = self.plan.targets.count {
                await self.console.beginProgress(.errors, total: count)
            }
            let isFine = await self.fetchWhatIsNamed(with: client)
            await self.console.endProgress()
            return isFine
        }
        return await board.shown(on: self.console) { await self.fetchWhatIsNamed(with: client) }
    }

    private func fetchWhatIsNamed(with client: Client) async -> Bool? {
        guard let fetch = self.plan.single else { return await self.fetchAll(with: client) }
        guard self.interruption.reason == nil else { return false }
        return await GetBody(fetch, self.options, console: self.console, interruption: self.interruption)
            .run(with: client)
    }

    /// Requests end in any order, so that a slow one holds up no other; lines are printed in order.
    private func fetchAll(with client: Client) async -> Bool? {
        guard #available(macOS 15, *) else {
            await self.console.complain(
                "this needs macOS 15: give one URL, without --json, --output, --cache and --timeline")
            return false
        }
        let format: GetFormat = self.options.isJSON ? .json : .text
        var lines = Reordering<String>()
        var (isFine, isEmpty) = (true, true)
        let outcomes = client.outcomes(
            of: self.plan.targets, width: self.options.atOnce, order: .completion,
            options: .cacheUse(self.options.isOffline ? .only : .use))
        for await outcome in outcomes {
            isEmpty = false
            let result = await self.result(of: outcome)
            isFine = isFine && !result.isFailure
            await self.console.advanceProgress()
            for line in lines.add(format.line(result), at: outcome.index) { await self.console.line(line) }
        }
        for line in lines.rest { await self.console.line(line) }
        return isEmpty && self.interruption.reason == nil ? nil : isFine
    }

    /// Waits until cached responses are on disk, and prints the notices.
    private func finish() async {
        await self.cache?.flush()
        if let notice = self.cache?.takeNotice() { self.notices.add(notice) }
        for notice in self.notices.all { await self.console.complain(notice) }
    }

    /// Draws the timeline if requested; returns `false` if that fails.
    private func drawTimeline() async -> Bool {
        guard let file = self.plan.timeline, let timeline = self.timeline?.timeline else { return true }
        do throws(TimelineFile.Problem) {
            try file.write(timeline, TimelineRendering(title: "errand get", labels: .urls))
            return true
        } catch {
            await self.console.complain(error.message)
            return false
        }
    }

    private func result(of outcome: BatchOutcomes<Fetch>.Outcome) async -> GetResult {
        guard case .failure(let error) = outcome.response, let id = error.context.requestID else {
            return GetResult(outcome, duration: nil, showingSecrets: self.options.showsSecrets)
        }
        let duration = self.stopwatch.take(id)
        return GetResult(outcome, duration: duration, showingSecrets: self.options.showsSecrets)
    }
}

/// Measures the duration of failed requests, which an error does not contain.
private final class Stopwatch: Accessory {
    private let durations = Locked<[RequestID: Duration]>([:])

    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        guard activity.kind == .request, end.error != nil else { return }
        self.durations.withLock { $0[activity.id] = end.timings.total }
    }

    func take(_ id: RequestID) -> Duration? {
        self.durations.withLock { $0.removeValue(forKey: id) }
    }
}

/// Collects notices for the user, without duplicates.
private final class Notices: Accessory {
    private let texts = Locked<[String]>([])

    var all: [String] { self.texts.withLock { $0 } }

    func add(_ text: String) {
        self.texts.withLock { if !$0.contains(text) { $0.append(text) } }
    }

    func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        if case .notice(let text) = event { self.add(text) }
    }
}
