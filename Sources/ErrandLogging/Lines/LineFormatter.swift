internal import Errand

/// Formats records as lines; runs on the writing thread, where no request waits.
struct LineFormatter {
    private let redaction: Redaction
    private let showsForms: Bool
    private let format: LogFormat
    private var time = LineTime()

    init(_ format: LogFormat, _ redaction: Redaction, showsForms: Bool) {
        self.format = format
        self.redaction = redaction
        self.showsForms = showsForms
    }

    mutating func write(_ record: LogRecord, to batch: inout LogBatch) {
        let line = self.line(for: record)
        let severity = Self.severity(of: record.event)
        batch.add(severity) { bytes in
            switch self.format.kind {
            case .text(let hasTime): TextLayout(hasTime: hasTime).write(record, line, to: &bytes, &self.time)
            case .json: JSONLayout.write(record, line, to: &bytes, &self.time)
            }
        }
    }

    /// Writes a line that reports the number of dropped lines.
    mutating func writeGap(_ count: Int, at time: Double, to batch: inout LogBatch) {
        batch.add(.warning) { bytes in
            switch self.format.kind {
            case .text(let hasTime): TextLayout(hasTime: hasTime).writeGap(count, at: time, to: &bytes, &self.time)
            case .json: JSONLayout.writeGap(count, at: time, to: &bytes, &self.time)
            }
        }
    }

    private static func severity(of event: LogEvent) -> LogSeverity {
        switch event {
        case .notice, .attemptFailed: .warning
        case .end(let end): end.severity
        default: .info
        }
    }

    // MARK: - The content of a line, without secrets

    private func line(for record: LogRecord) -> Line {
        let name =
            record.subject.call?.text ?? (record.subject.kind == .batch ? "batch" : "chain")
        return Line(
            name: name, url: record.subject.url.map { $0.redacted(by: self.redaction) },
            content: self.content(of: record.event))
    }

    private func content(of event: LogEvent) -> Line.Content {
        switch event {
        case .start: .start
        case .requestHead(let fields, let redaction), .sentHead(let fields, let redaction):
            .head(nil, fields.map { (name: $0.name, value: self.value(of: $0, redaction, isOfResponse: false)) })
        case .responseHead(let head, let redaction):
            .head(
                head.status.code,
                head.headers.map { (name: $0.name, value: self.value(of: $0, redaction, isOfResponse: true)) })
        case .requestBody(let body): .body(self.shown(body))
        case .responseBody(let body): .body(self.shown(body))
        case .attemptFailed(let number, let error):
            .attemptFailed(number, error.code.description, self.message(of: error))
        case .notice(let text, let redaction): .notice(self.redaction.text(redaction.text(text)))
        case .end(let end): .end(message: end.error.map { self.message(of: $0) })
        }
    }

    private func message(of error: LogError) -> String {
        self.redaction.text(error.redaction.text(error.message))
    }

    /// The value of a field, redacted by both the client's and the accessory's rules.
    private func value(of field: HTTPField, _ client: Redaction, isOfResponse: Bool) -> String {
        let redaction = client.hides(field.name, isOfResponse: isOfResponse) ? client : self.redaction
        let value = redaction.value(of: field, isOfResponse: isOfResponse)
        // The parameters of a challenge are not a credential.
        return Redaction.isChallenge(field.name) ? value : self.redaction.text(value)
    }

    private func shown(_ body: LogBody) -> Line.Body {
        var size = body.size
        // The file is accessed on the writing thread, where no request waits for its disk.
        if case .file(let file) = body.place { size = try? file.length() }
        return Line.Body(
            size: size, contentType: body.contentType,
            text: BodyText(body, self.redaction, showsForms: self.showsForms))
    }
}

/// The content of one line, in addition to its record.
struct Line {
    enum Content {
        case start
        /// The status, if it is the head of a response.
        case head(Int?, [(name: String, value: String)])
        case body(Body)
        case attemptFailed(Int, String, String)
        case notice(String)
        /// The message of the error, if any.
        case end(message: String?)
    }

    struct Body {
        let size: Int64?
        let contentType: String?
        let text: BodyText
    }

    let name: String
    let url: String?
    let content: Content
}

extension LogEvent {
    /// The name of the event.
    var word: StaticString {
        switch self {
        case .start: "start"
        case .requestHead: "request-head"
        case .sentHead: "sent-head"
        case .responseHead: "response-head"
        case .requestBody: "request-body"
        case .responseBody: "response-body"
        case .attemptFailed: "attempt-failed"
        case .notice: "notice"
        case .end(let end): end.word
        }
    }
}

extension LogEnd {
    fileprivate var word: StaticString {
        switch self.error?.code {
        case nil: self.isCached ? "cached" : "done"
        case .cancelled?: "cancelled"
        default: "failed"
        }
    }
}
