internal import Errand
internal import ErrandLocks
internal import Foundation

/// Streams the body of one URL to standard output or to a file, unchanged.
struct GetBody: Sendable {
    private let fetch: Fetch
    private let options: GetOptions
    private let console: Console
    private let interruption: Interruption

    init(_ fetch: Fetch, _ options: GetOptions, console: Console, interruption: Interruption) {
        self.fetch = fetch
        self.options = options
        self.console = console
        self.interruption = interruption
    }

    /// The facts that are known at the end of the body.
    private struct Summary {
        var status: HTTPStatus
        var bytes = 0
        /// True if the body does not end with a line break.
        var isOpenLine = false

        mutating func add(_ data: Data) {
            guard let last = data.last else { return }
            self.bytes += data.count
            self.isOpenLine = last != UInt8(ascii: "\n")
        }
    }

    /// Fetches the URL; returns `true` if the response has a status below 400, and its body is complete.
    ///
    /// The body of an error response is for people to read, and is not written to a file.
    func run(with client: Client) async -> Bool {
        let (clock, version) = (ContinuousClock(), VersionNote())
        var fetch = self.fetch
        (fetch.versionNote, fetch.isForFile) = (version, self.file != nil)
        let start = clock.now
        do throws(ErrandError) {
            let summary = try await client.stream(fetch) { response in
                try await self.pass(response, version.text)
            }
            await self.tell(summary, after: clock.now - start)
            return summary.status.code < 400
        } catch {
            // The reason is reported elsewhere.
            guard self.interruption.reason == nil else { return false }
            await self.console.complain("\(error.code): \(error.fullMessage)")
            return false
        }
    }

    private func tell(_ summary: Summary, after duration: Duration) async {
        guard !self.options.isQuiet else { return }
        let result = GetResult(
            url: self.fetch.shownURL(showingSecrets: self.options.showsSecrets), status: summary.status.code,
            bytes: summary.bytes,
            seconds: duration / .seconds(1),
            file: self.file)
        await self.console.note(
            GetFormat.text.line(result), belowOpenLine: self.file == nil && summary.isOpenLine)
    }

    // MARK: - Output

    /// The named file; `-` is the standard output.
    private var file: String? {
        self.options.outputFile == "-" ? nil : self.options.outputFile
    }

    private func pass(_ response: StreamedResponse, _ version: String) async throws -> Summary {
        guard let file = self.file else {
            return try await self.pass(response, version) { data in await self.console.bytes(data) }
        }
        let open = try ErrandError.refusing("-o \(file)", try OpenFile(emptying: file))
        return try await self.pass(response, version) { data throws(ErrandError) in
            try ErrandError.refusing("-o \(file)", try open.write(data, at: nil))
        }
    }

    private func pass(
        _ response: StreamedResponse, _ version: String, to write: (Data) async throws(ErrandError) -> Void
    ) async throws(ErrandError) -> Summary {
        var summary = Summary(status: response.head.status)
        if self.options.includesHead {
            let isShown = self.file == nil && self.console.isTerminal
            try await write(Self.text(of: response.head, version, isShown: isShown))
        }
        for try await chunk in response.body {
            // The rest is not read.
            guard self.interruption.reason == nil else { break }
            try await write(chunk)
            summary.add(chunk)
        }
        return summary
    }

    /// The head as in HTTP/1; later versions have no reason phrase.
    ///
    /// For a terminal, control characters are escaped.
    static func text(of head: HTTPResponse.Head, _ version: String, isShown: Bool) -> Data {
        let shown = { (text: String) in isShown ? Terminal.oneLine(text) : text }
        let reason = version.startsExactly(with: "HTTP/1") ? head.status.reasonPhrase : ""
        var text = shown("\(version) \(head.status.code) \(reason)") + "\r\n"
        for field in head.headers { text += shown("\(field.name): \(field.value)") + "\r\n" }
        return Data("\(text)\r\n".utf8)
    }
}

/// Records the HTTP version of a response; a response without one counts as HTTP/1.1.
final class VersionNote: Interceptor {
    private let version = Locked<ExchangeMetrics.HTTPVersion?>(nil)

    var text: String { (self.version.withLock { $0 } ?? .http1_1).rawValue }

    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        let response = try await next(request)
        self.version.withLock { $0 = response.metrics?.httpVersion }
        return response
    }
}
