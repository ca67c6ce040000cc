public import Errand

public import struct Foundation.Date

/// Logs the activity of a client: one line when a request, batch or chain starts, and one when it stops.
///
/// ```swift
/// let log = LoggingAccessory()
/// let client = Client(baseURL: "https://api.example.com/v1/") { $0.accessories = [log] }
/// ```
///
/// A request never waits for logging: its hooks put a small record into a buffer, which is written on a separate
/// thread. Lines that do not fit into the buffer, because the ``LogSink`` is slow, are dropped; a line reports how many
/// are missing. When the accessory is released, remaining lines are still written. ``flush()`` waits for that, for
/// example before a program exits.
///
/// Secrets are redacted: `Authorization`, `Cookie` and similar fields, those that
/// `ClientConfiguration.Credentials.secretHeaders` names, and header fields, query items, form items and JSON members
/// whose names suggest a secret (see `HTTPURL.redacted`).
///
/// One accessory can be used with any number of clients; its lines are never interleaved.
public struct LoggingAccessory: Accessory {
    private let level: LogLevel
    private let date: @Sendable () -> Date
    private let writer: LogWriter

    /// Creates an accessory.
    ///
    /// - Parameters:
    ///   - sink: The sink that receives the lines.
    ///   - level: The level of detail.
    ///   - format: The format of the lines.
    ///   - secretNames: Additional names of header fields, query items, form items and JSON members whose values are
    ///     redacted. They match whole names and ignore case.
    ///   - showsForms: If `true`, form bodies are logged, with the values of secret names redacted. Multipart bodies
    ///     are never logged.
    ///   - bufferedLines: The maximum number of lines that wait to be written. Bodies, header fields and messages are
    ///     limited to 8 MiB in total.
    ///   - onProblem: Called once per problem, on the writing thread, with a description of why lines cannot be
    ///     written. By default, problems are written to standard error.
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
            bytes.append("ErrandLogging: lines cannot be written: ")
            bytes.append(word: problem)
        }
        // An error here cannot be reported anywhere else.
        try? StandardSink.error.write(batch)
    }

    /// Waits until everything logged so far has been written or dropped.
    ///
    /// Cancelling the task ends the wait, but not the writing. If the sink never returns, the wait lasts until it is
    /// cancelled.
    public func flush() async {
        await self.writer.flush()
    }

    // MARK: - Accessory

    /// Logs the start, with as much of the request as the level asks for.
    public func willStart(_ activity: RequestActivity) {
        self.log(.start, activity)
        guard self.level.showsHeads, let request = activity.request else { return }
        self.log(.requestHead(request.headers, activity.redaction), activity)
        guard self.level.showsBodies, let body = LogBody(of: request, limit: self.level.bodyLimit) else { return }
        self.log(.requestBody(body), activity)
    }

    /// Logs the end, preceded by as much of the response as the level asks for.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        if self.level.showsHeads { self.logResponse(end, activity) }
        self.log(.end(LogEnd(end, of: activity)), activity)
    }

    /// Logs notices, and the intermediate events that the level asks for.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
        switch event {
        case .notice(let text): self.log(.notice(text, activity.redaction), activity)
        case .attemptFailed(let number, let error) where self.level.showsHeads:
            self.log(.attemptFailed(number, LogError(error, activity.redaction)), activity)
        case .waitingForConnectivity where self.level.showsHeads:
            self.log(.notice("no network is available; the request waits for one", activity.redaction), activity)
        case .suspended where self.level.showsHeads:
            self.log(.notice("the \(activity.kind) is suspended", activity.redaction), activity)
        case .resumed where self.level.showsHeads:
            self.log(.notice("the \(activity.kind) is resumed", activity.redaction), activity)
        case .cacheStatus(let status) where self.level.showsHeads:
            self.log(.notice("Cache-Status: \(status)", activity.redaction), activity)
        case .retry(let retry) where self.level.showsHeads: self.log(.notice("\(retry)", activity.redaction), activity)
        case .retryRefused(let reason, let refusal) where self.level.showsHeads:
            self.log(.notice("\(reason), and it is not sent again: \(refusal)", activity.redaction), activity)
        case .circuitChanged(let state) where self.level.showsHeads:
            self.log(.notice("the circuit is \(state)", activity.redaction), activity)
        case .hedged(let delay) where self.level.showsHeads:
            self.log(.notice("a hedge is sent after \(delay)", activity.redaction), activity)
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
        // A response from the network was logged when it arrived.
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
