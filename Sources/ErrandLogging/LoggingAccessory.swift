public import Errand

public import struct Foundation.Date

/// Logs what a client does: every request, batch and chain, a line when it starts and a line when it stops.
///
/// ```swift
/// let log = LoggingAccessory()
/// let client = Client(baseURL: "https://api.example.com/v1/") { $0.accessories = [log] }
/// ```
///
/// A request never waits for a line: its hooks put a small record into a buffer, which is written on a thread of its
/// own. What does not fit into the buffer, because the ``LogSink`` is slow, is left out; a line says how many lines are
/// missing. When the accessory goes away, what is left is still written; ``flush()`` waits for that, as before a
/// program ends.
///
/// Secrets are hidden: `Authorization`, `Cookie` and the like, what `ClientConfiguration.Credentials.secretHeaders`
/// names, and whatever has a name of secrets (`HTTPURL.redacted` tells which those are) among header fields, query items,
/// items of forms and members of JSON.
///
/// One accessory may be given to any number of clients; its lines never mix.
public struct LoggingAccessory: Accessory {
    private let level: LogLevel
    private let date: @Sendable () -> Date
    private let writer: LogWriter

    /// Creates an accessory.
    ///
    /// - Parameters:
    ///   - sink: Where the lines go.
    ///   - level: How much is logged.
    ///   - format: What a line looks like.
    ///   - secretNames: More names of header fields, query items, items of forms and members of JSON whose values are
    ///     hidden; as whole names, whatever their case.
    ///   - showsForms: Whether bodies of forms are shown, but for the values of secret names. Those of several parts
    ///     never are.
    ///   - bufferedLines: How many lines may wait to be written; of bodies, header fields and messages at most 8 MiB.
    ///   - onProblem: Told once in words when lines cannot be written, on the thread that writes. Unless it is given,
    ///     that goes to the standard error.
    ///   - date: The wall clock.
    public init<Sink: LogSink>(
        to sink: Sink = .standardError, level: LogLevel = .lines, format: LogFormat = .text,
        secretNames: [String] = [], showsForms: Bool = false, bufferedLines: Int = 8192,
        onProblem: (@Sendable (String) -> Void)? = nil, date: @escaping @Sendable () -> Date = { Date() }
    ) {
        let formatter = LineFormatter(format, Redaction(secretNames: secretNames), showsForms: showsForms)
        let output = LogOutput(formatter, to: sink, date: date, onProblem: onProblem ?? Self.tell)
        self.level = level
        self.date = date
        self.writer = LogWriter(output, LogWriter.Bounds(records: max(1, bufferedLines), bytes: 8 << 20))
    }

    private static let tell: @Sendable (String) -> Void = { problem in
        var batch = LogBatch()
        batch.add(.warning) { bytes in
            bytes.append("ErrandLogging: trouble with the log: ")
            bytes.append(word: problem)
        }
        // There is nobody else to tell.
        try? StandardSink.error.write(batch)
    }

    /// Waits until everything logged so far has been written, or could not be.
    ///
    /// Cancelling ends the wait, and nothing else. A sink that never returns has it wait until then.
    public func flush() async {
        await self.writer.flush()
    }

    // MARK: - Accessory

    /// Logs the start, and what the level asks for of the request.
    public func willStart(_ activity: RequestActivity) {
        self.log(.start, activity)
        guard self.level.showsHeads, let request = activity.request else { return }
        self.log(.requestHead(request.headers, activity.redaction), activity)
        guard self.level.showsBodies, let body = LogBody(of: request, limit: self.level.bodyLimit) else { return }
        self.log(.requestBody(body), activity)
    }

    /// Logs the end, and before it what the level asks for of the response.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        if self.level.showsHeads { self.logResponse(end, activity) }
        self.log(.end(LogEnd(end, of: activity)), activity)
    }

    /// Logs notices, and what the level asks for of what happens in between.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        switch event {
        case .notice(let text): self.log(.notice(text, activity.redaction), activity)
        case .attemptFailed(let number, let error) where self.level.showsHeads:
            self.log(.attemptFailed(number, LogError(error, activity.redaction)), activity)
        case .waitingForConnectivity where self.level.showsHeads:
            self.log(.notice("there is no network; the request waits for one", activity.redaction), activity)
        case .suspended where self.level.showsHeads:
            self.log(.notice("the \(activity.kind) is suspended", activity.redaction), activity)
        case .resumed where self.level.showsHeads:
            self.log(.notice("the \(activity.kind) goes on", activity.redaction), activity)
        case .cacheStatus(let status) where self.level.showsHeads:
            self.log(.notice("Cache-Status: \(status)", activity.redaction), activity)
        case .retry(let retry) where self.level.showsHeads: self.log(.notice("\(retry)", activity.redaction), activity)
        case .retryRefused(let reason, let refusal) where self.level.showsHeads:
            self.log(.notice("\(reason), and it is not sent again: \(refusal)", activity.redaction), activity)
        case .circuitChanged(let state) where self.level.showsHeads:
            self.log(.notice("the circuit is \(state)", activity.redaction), activity)
        case .hedged(let delay) where self.level.showsHeads:
            self.log(.notice("it is sent once more after \(delay)", activity.redaction), activity)
        case .coalesced where self.level.showsHeads:
            self.log(.notice("it waits for the response to an equal request", activity.redaction), activity)
        case .requestHead(let request) where self.level.showsHeads:
            self.log(.sentHead(request.headers, activity.redaction), activity, sending: request)
        case .responseHead(let head) where self.level.showsHeads:
            self.log(.responseHead(head, activity.redaction), activity)
        default: break
        }
    }

    // MARK: - Records

    private func logResponse(_ end: RequestActivity.End, _ activity: RequestActivity) {
        guard let head = end.head else { return }
        // What came over the network was told when it came.
        if case .cached = end.result { self.log(.responseHead(head, activity.redaction), activity) }
        guard self.level.showsBodies, let body = end.body, !body.isEmpty else { return }
        self.log(.responseBody(LogBody(body, head.headers, limit: self.level.bodyLimit)), activity)
    }

    private func log(_ event: LogEvent, _ activity: RequestActivity, sending request: HTTPRequest? = nil) {
        let time = self.date().timeIntervalSince1970
        let record = LogRecord(time: time, subject: LogSubject(activity, sending: request), event: event)
        self.writer.append(record, weight: event.weight)
    }
}

extension LoggingAccessory: SelectiveAccessory {
    package var usedHooks: UsedHooks {
        self.level.showsHeads ? [.willStart, .didStop, .notices, .otherEvents] : [.willStart, .didStop, .notices]
    }
}
