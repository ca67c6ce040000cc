/// The text about a span: its label, its result, and its tooltip.
struct SpanWords {
    let span: Timeline.Span
    let labels: TimelineRendering.Labels

    // MARK: - The label

    /// The name in the label.
    var name: String {
        guard self.labels == .urls, self.span.kind == .request, self.span.url != nil else {
            return Markup.line(self.span.name)
        }
        return self.bareURL
    }

    /// The text after the name.
    var target: String {
        guard self.span.kind == .request else {
            return self.span.endedChildren.map { self.span.kind == .chain ? Self.steps($0) : Self.requests($0) } ?? ""
        }
        let method = self.span.method ?? ""
        return Markup.line(self.labels == .urls ? method : "\(method) \(self.path)".trimmed)
    }

    private static func steps(_ count: Int) -> String { "\(Words.count(count)) \(count == 1 ? "step" : "steps")" }

    private static func requests(_ count: Int) -> String {
        "\(Words.count(count)) \(count == 1 ? "request" : "requests")"
    }

    /// The URL without its scheme.
    private var bareURL: String {
        let url = Markup.line(self.span.url ?? "")
        return url.firstRange(of: "://").map { String(url[$0.upperBound...]) } ?? url
    }

    private var path: String {
        let url = self.bareURL
        return url.unicodeScalars.firstIndex(of: "/").map { String(url[$0...]) } ?? ""
    }

    // MARK: - The result

    /// The outcome, in a word.
    var result: String {
        switch self.span.outcome {
        case .running: "running"
        case .cancelled: "cancelled"
        case .failed: self.failure
        case .cached: "cached"
        case .finished: self.span.status.map(String.init) ?? ""
        }
    }

    private var failure: String {
        let code = self.span.failure ?? "failed"
        guard code == "unacceptableStatus", let status = self.span.status else { return Markup.line(code) }
        return "\(status)"
    }

    // MARK: - Tooltip

    /// The tooltip, with a line for each property; `offset` returns the time of a moment since the beginning.
    func hover(_ offset: (Duration) -> Duration) -> String {
        var lines = [self.headline]
        if let url = self.span.url { lines.append("\(self.span.method ?? "") \(url)".trimmed) }
        lines.append(self.outcome)
        let start = Words.duration(offset(self.span.interval.start))
        lines.append("\(Words.duration(self.span.interval.duration)) in all, from \(start)")
        let sums = Self.sums(of: self.span.phases)
        if !sums.isEmpty {
            lines.append(sums.map { "\($0.kind.label) \(Words.duration($0.duration))" }.joined(separator: " · "))
        }
        lines += self.exchanges + self.span.notes
        return lines.map(Markup.line).joined(separator: "\n")
    }

    private var headline: String {
        var line = self.span.name
        if let position = self.span.position { line += " [\(position)]" }
        if let tag = self.span.tag { line += " “\(tag)”" }
        return line
    }

    private var outcome: String {
        var line = self.span.outcome.rawValue
        if let failure = self.span.failure, failure != line { line += ": \(failure)" }
        if let status = self.span.status { line += ", status \(status)" }
        if let size = self.span.bodySize { line += ", \(Words.bytes(Int64(size)))" }
        guard self.span.kind != .request else { return line }
        return self.target.isEmpty ? line : "\(line), \(self.target) ended"
    }

    private var exchanges: [String] {
        var lines = self.span.attempts.map { attempt in
            let length = Words.duration(attempt.interval.duration)
            var line = "attempt \(attempt.number): "
            switch (attempt.failure, attempt.status) {
            case (let failure?, _): line += "\(failure) after \(length)"
            case (nil, let status?): line += "status \(status) in \(length)"
            case (nil, nil): line += length
            }
            if let version = attempt.httpVersion { line += ", \(version)" }
            if let address = attempt.remoteAddress { line += ", \(address)" }
            if attempt.isConnectionReused == true { line += ", on an open connection" }
            if attempt.bytesSent > 0 { line += ", \(Words.bytes(attempt.bytesSent)) sent" }
            if attempt.bytesReceived > 0 { line += ", \(Words.bytes(attempt.bytesReceived)) received" }
            return line
        }
        if self.span.attemptCount > lines.count, !lines.isEmpty {
            lines.append("\(Words.count(self.span.attemptCount)) attempts in all")
        }
        return lines
    }

    /// The total duration of each kind of phase, over all attempts, in the order of the kinds.
    static func sums(of phases: [Timeline.Phase]) -> [(kind: Timeline.Phase.Kind, duration: Duration)] {
        Timeline.Phase.Kind.allCases.compactMap { kind in
            let sum = phases.filter { $0.kind == kind }.reduce(Duration.zero) { $0 + $1.interval.duration }
            return sum > .zero ? (kind, sum) : nil
        }
    }
}

extension Timeline.Phase.Kind {
    /// The label in the legend.
    var label: String {
        switch self {
        case .tls: "TLS"
        case .receive: "body"
        default: self.rawValue
        }
    }

    /// A short description.
    var words: String {
        switch self {
        case .cache: "cache lookup"
        case .queue: "waiting for a slot"
        case .lookup: "resolving the host name"
        case .connect: "connecting"
        case .tls: "TLS handshake"
        case .send: "sending the body"
        case .wait: "waiting for the response"
        case .receive: "receiving the response"
        case .process: "checking, decoding and storing"
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
