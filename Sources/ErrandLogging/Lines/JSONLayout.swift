internal import Errand

/// Lines for programs: one JSON object (RFC 8259) each, with the members that the module's article lists.
enum JSONLayout {
    static func write(_ record: LogRecord, _ line: Line, to bytes: inout [UInt8], _ time: inout LineTime) {
        bytes.append("{\"time\":\"")
        time.write(record.time, to: &bytes)
        bytes.append("\",\"event\":\"")
        bytes.append(record.event.word)
        bytes.append("\"")
        Self.writeSubject(record, line, to: &bytes)
        switch line.content {
        case .start: break
        case .end(let message): if case .end(let end) = record.event { Self.write(end, message, to: &bytes) }
        case .head(let status, let fields): Self.write(status, fields, to: &bytes)
        case .body(let body): Self.write(body, to: &bytes)
        case .attemptFailed(let number, let code, let message):
            Self.write("attempt", number, to: &bytes)
            Self.writeError(code, message, to: &bytes)
        case .notice(let text): Self.write("message", text, to: &bytes)
        }
        bytes.append("}")
    }

    static func writeGap(_ count: Int, at moment: Double, to bytes: inout [UInt8], _ time: inout LineTime) {
        bytes.append("{\"time\":\"")
        time.write(moment, to: &bytes)
        bytes.append("\",\"event\":\"dropped\"")
        Self.write("count", count, to: &bytes)
        bytes.append("}")
    }

    // MARK: - Subject

    /// Writes the members that all lines have.
    private static func writeSubject(_ record: LogRecord, _ line: Line, to bytes: inout [UInt8]) {
        Self.write("id", record.subject.id.rawValue, to: &bytes)
        if let parent = record.subject.parent {
            Self.write("parent", parent.rawValue, to: &bytes)
            Self.write("position", record.subject.position, to: &bytes)
        }
        switch record.subject.kind {
        case .request: bytes.append(",\"kind\":\"request\"")
        case .batch: bytes.append(",\"kind\":\"batch\"")
        case .chain: bytes.append(",\"kind\":\"chain\"")
        }
        Self.write("name", line.name, to: &bytes)
        if let tag = record.subject.tag { Self.write("tag", tag, to: &bytes) }
        if let method = record.subject.method { Self.write("method", method.rawValue, to: &bytes) }
        if let url = line.url { Self.write("url", url, to: &bytes) }
    }

    // MARK: - Events

    private static func write(_ end: LogEnd, _ message: String?, to bytes: inout [UInt8]) {
        if let status = end.status {
            Self.write("status", status, to: &bytes)
            Self.write("source", end.isCached ? "cache" : "network", to: &bytes)
        }
        if let size = end.size { Self.write("size", size, to: &bytes) }
        bytes.append(",\"duration\":")
        bytes.append(end.timings.total, inSeconds: true)
        bytes.append(",\"queued\":")
        bytes.append(end.timings.queue, inSeconds: true)
        Self.write("attempts", end.attempts, to: &bytes)
        if let trace = end.trace {
            Self.write("trace_id", trace.traceID, to: &bytes)
            Self.write("span_id", trace.spanID, to: &bytes)
        }
        if let error = end.error { Self.writeError(error.code.description, message ?? "", to: &bytes) }
    }

    private static func writeError(_ code: String, _ message: String, to bytes: inout [UInt8]) {
        Self.write("error", code, to: &bytes)
        Self.write("message", message, to: &bytes)
    }

    private static func write(
        _ status: Int?, _ fields: [(name: String, value: String)], to bytes: inout [UInt8]
    ) {
        if let status { Self.write("status", status, to: &bytes) }
        bytes.append(",\"headers\":[")
        for (index, field) in fields.enumerated() {
            bytes.append(index == 0 ? "[" : ",[")
            bytes.append(quoting: field.name, as: .json)
            bytes.append(",")
            bytes.append(quoting: field.value, as: .json)
            bytes.append("]")
        }
        bytes.append("]")
    }

    private static func write(_ body: Line.Body, to bytes: inout [UInt8]) {
        if let size = body.size { Self.write("size", size, to: &bytes) }
        if let type = body.contentType { Self.write("type", type, to: &bytes) }
        switch body.text {
        case .text(let text, let isWhole):
            Self.write("body", text, to: &bytes)
            if !isWhole { bytes.append(",\"cut\":true") }
        case .none(let reason): Self.write("omitted", reason, to: &bytes)
        }
    }

    // MARK: - Members

    private static func write(_ name: StaticString, _ number: some BinaryInteger, to bytes: inout [UInt8]) {
        Self.begin(name, &bytes)
        bytes.append(decimal: number)
    }

    private static func write(_ name: StaticString, _ text: String, to bytes: inout [UInt8]) {
        Self.begin(name, &bytes)
        bytes.append(quoting: text, as: .json)
    }

    private static func begin(_ name: StaticString, _ bytes: inout [UInt8]) {
        bytes.append(",\"")
        bytes.append(name)
        bytes.append("\":")
    }
}
