internal import Errand

/// Lines for people.
struct TextLayout {
    let hasTime: Bool

    func write(_ record: LogRecord, _ line: Line, to bytes: inout [UInt8], _ time: inout LineTime) {
        self.write(record.time, to: &bytes, &time)
        Self.writeSubject(record, to: &bytes)
        switch line.content {
        case .start: Self.writeTarget(record, line, to: &bytes)
        case .end(let message):
            Self.writeTarget(record, line, to: &bytes)
            if case .end(let end) = record.event { Self.write(end, message, to: &bytes) }
        case .head(let status, let fields):
            if case .sentHead = record.event { Self.writeTarget(record, line, to: &bytes) }
            Self.write(status, fields, to: &bytes)
        case .body(let body): Self.write(body, to: &bytes)
        case .attemptFailed(let number, let code, let message):
            bytes.append(" ")
            bytes.append(decimal: number)
            Self.writeError(code, message, to: &bytes)
        case .notice(let text):
            bytes.append(" ")
            bytes.append(quoting: text, as: .text)
        }
    }

    func writeGap(_ count: Int, at moment: Double, to bytes: inout [UInt8], _ time: inout LineTime) {
        self.write(moment, to: &bytes, &time)
        bytes.append(decimal: count)
        bytes.append(count == 1 ? " line was dropped" : " lines were dropped")
    }

    private func write(_ moment: Double, to bytes: inout [UInt8], _ time: inout LineTime) {
        guard self.hasTime else { return }
        time.write(moment, to: &bytes)
        bytes.append(" ")
    }

    // MARK: - Subject

    /// Writes the parts that all lines have; a child is indented, and names its parent and its position there.
    private static func writeSubject(_ record: LogRecord, to bytes: inout [UInt8]) {
        if let parent = record.subject.parent {
            bytes.append("  #")
            bytes.append(decimal: parent.rawValue)
            bytes.append("[")
            bytes.append(decimal: record.subject.position)
            bytes.append("] ")
        }
        bytes.append("#")
        bytes.append(decimal: record.subject.id.rawValue)
        bytes.append(" ")
        bytes.append(record.event.word)
    }

    private static func writeTarget(_ record: LogRecord, _ line: Line, to bytes: inout [UInt8]) {
        bytes.append(" ")
        bytes.append(word: line.name)
        if let tag = record.subject.tag {
            bytes.append(" tag=")
            bytes.append(word: tag)
        }
        if let method = record.subject.method {
            bytes.append(" ")
            bytes.append(word: method.rawValue)
        }
        if let url = line.url {
            bytes.append(" ")
            bytes.append(word: url)
        }
    }

    // MARK: - Events

    private static func write(_ end: LogEnd, _ message: String?, to bytes: inout [UInt8]) {
        if let status = end.status {
            bytes.append(" ")
            bytes.append(decimal: status)
            bytes.append(end.isCached ? " cache" : " network")
        }
        if let size = end.size {
            bytes.append(" ")
            bytes.append(decimal: size)
            bytes.append(" B")
        }
        bytes.append(" in ")
        bytes.append(end.timings.total, inSeconds: false)
        bytes.append(" ms")
        if end.timings.queue > .zero {
            bytes.append(", queued ")
            bytes.append(end.timings.queue, inSeconds: false)
            bytes.append(" ms")
        }
        if end.attempts > 1 {
            bytes.append(", ")
            bytes.append(decimal: end.attempts)
            bytes.append(" attempts")
        }
        if let trace = end.trace {
            bytes.append(" trace=")
            bytes.append(contentsOf: trace.traceID.utf8)
            bytes.append("/")
            bytes.append(contentsOf: trace.spanID.utf8)
        }
        if let error = end.error { Self.writeError(error.code.description, message ?? "", to: &bytes) }
    }

    private static func writeError(_ code: String, _ message: String, to bytes: inout [UInt8]) {
        bytes.append(" ")
        bytes.append(word: code)
        bytes.append(" ")
        bytes.append(quoting: message, as: .text)
    }

    private static func write(
        _ status: Int?, _ fields: [(name: String, value: String)], to bytes: inout [UInt8]
    ) {
        if let status {
            bytes.append(" ")
            bytes.append(decimal: status)
        }
        for field in fields {
            bytes.append(" ")
            bytes.append(quoting: "\(field.name): \(field.value)", as: .text)
        }
    }

    private static func write(_ body: Line.Body, to bytes: inout [UInt8]) {
        if let size = body.size {
            bytes.append(" ")
            bytes.append(decimal: size)
            bytes.append(" B")
        }
        if let type = body.contentType {
            bytes.append(" ")
            bytes.append(word: type)
        }
        bytes.append(" ")
        switch body.text {
        case .text(let text, let isWhole):
            bytes.append(quoting: text, as: .text)
            if !isWhole { bytes.append(" ...") }
        case .none(let reason):
            bytes.append("(")
            bytes.append(contentsOf: reason.utf8)
            bytes.append(")")
        }
    }
}
