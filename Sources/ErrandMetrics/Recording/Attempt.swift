internal import Errand

/// An attempt that is over, as far as its notes say.
struct EndedAttempt: Sendable {
    let seconds: Double
    var status: Int?
    var version: ExchangeMetrics.HTTPVersion?
    var error: ErrandError.Code?
    /// The head that it sent, if that is not the one of its request.
    let target: AttemptTarget?
}

/// The destination of an attempt.
struct AttemptTarget: Sendable {
    let method: HTTPMethod
    let url: HTTPURL
}

/// The attributes of an attempt, as far as they are told apart; see OpenTelemetry's conventions for HTTP clients.
struct AttemptKey: Hashable, Sendable {
    let authority: String?
    let method: String?
    let isSecure: Bool?
    let template: String?
    let status: Int?
    let version: ExchangeMetrics.HTTPVersion?
    let error: String?

    init(_ attempt: EndedAttempt, _ activity: RequestActivity, _ options: MetricsOptions, _ choice: LabelChoice) {
        let asked = activity.target.map { AttemptTarget(method: $0.method, url: $0.url) }
        let target = attempt.target ?? asked
        self.authority = choice.wantsAuthority ? target?.url.authority : nil
        self.method = choice.wantsMethod ? target?.method.metricName(options.knownMethods) : nil
        self.isSecure = choice.wantsScheme ? target?.url.isSecure : nil
        self.template = target?.url == asked?.url ? options.urlTemplate?(activity) : nil
        self.status = choice.wantsStatus ? attempt.status : nil
        self.version = choice.wantsVersion ? attempt.version : nil
        let failedStatus = attempt.status.flatMap { $0 >= 400 ? "\($0)" : nil }
        self.error = choice.wantsError ? attempt.error?.description ?? failedStatus : nil
    }

    /// The labels; several keys may have the same.
    func labels(_ choice: LabelChoice) -> [MetricLabel: String] {
        var labels: [MetricLabel: String] = [:]
        if let authority, let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")) {
            if choice.wantsAddress { labels[.address] = String(authority[..<colon]).withoutBrackets }
            if choice.wantsPort { labels[.port] = String(authority[colon...].dropFirst()) }
        }
        labels[.method] = self.method
        labels[.scheme] = self.isSecure.map { $0 ? "https" : "http" }
        labels[.template] = self.template.flatMap { $0.isEmpty ? nil : $0 }
        labels[.status] = self.status.map { "\($0)" }
        labels[.protocolVersion] = self.version.map { String($0.rawValue.dropFirst("HTTP/".count)) }
        labels[.error] = self.error
        return labels
    }
}

/// The attempts of a request that are in flight: several at once for a hedged request and a download in segments.
struct OpenAttempts: Sendable {
    private var attempts: [(number: Int, startedAt: Duration, target: AttemptTarget?)] = []
    private var lastNumber = 0
    // Of the last exchange.
    private var status: Int?
    private var version: ExchangeMetrics.HTTPVersion?
    private var duration: Duration?

    /// An error that ends an exchange, as opposed to one about what came.
    private static let exchangeErrors: Set<ErrandError.Code> = [
        .cancelled, .timedOut, .clientShutDown, .hostNotFound, .cannotConnect, .proxyAuthenticationFailed,
        .connectionLost, .tlsFailed, .invalidResponse, .bodyTooLarge, .transportFailed, .fileFailed,
    ]

    /// Records the beginning of an attempt.
    ///
    /// - Returns: The previous attempt, if it was the only one and its response has come.
    mutating func started(_ number: Int, at now: Duration) -> EndedAttempt? {
        // An accessory that was given twice receives each event twice.
        guard number != self.lastNumber else { return nil }
        self.lastNumber = number
        let ended = self.attempts.count == 1 && self.isAnswered ? self.ended(at: now).first : nil
        self.attempts.append((number, now, nil))
        return ended
    }

    /// Notes the head that the last attempt sends.
    mutating func sent(_ target: AttemptTarget) {
        guard !self.attempts.isEmpty else { return }
        self.attempts[self.attempts.count - 1].target = target
    }

    /// Notes the status of a response.
    mutating func headCame(_ status: Int) { self.status = status }

    /// Notes that the transport is done.
    mutating func finished(_ metrics: ExchangeMetrics, at now: Duration) {
        self.version = metrics.httpVersion
        self.duration = metrics.finished ?? self.attempts.last.map { now - $0.startedAt }
    }

    /// Notes that an attempt failed.
    mutating func failed(_ number: Int, _ error: ErrandError.Code, at now: Duration) -> EndedAttempt? {
        guard let index = self.attempts.firstIndex(where: { $0.number == number }) else { return nil }
        let attempt = self.attempts.remove(at: index)
        var ended = EndedAttempt(
            seconds: (now - attempt.startedAt).metricSeconds, error: error, target: attempt.target)
        // With several under way it is not known whose they are.
        if self.attempts.isEmpty { self.takeExchange(into: &ended) }
        return ended
    }

    /// True if the last attempt is complete.
    ///
    /// The parts of a download in segments are received at the same time.
    private var isAnswered: Bool {
        self.duration != nil || self.status != nil && self.status != HTTPStatus.partialContent.code
    }

    /// Ends all attempts, the last one with the response if there was one; `error` is that of the request.
    mutating func ended(at now: Duration, error: ErrandError.Code? = nil) -> [EndedAttempt] {
        guard let attempt = self.attempts.popLast() else { return [] }
        let others = self.attempts.map {
            EndedAttempt(seconds: (now - $0.startedAt).metricSeconds, target: $0.target)
        }
        self.attempts = []
        let seconds = (self.duration ?? now - attempt.startedAt).metricSeconds
        let error = self.duration == nil ? error.flatMap { Self.exchangeErrors.contains($0) ? $0 : nil } : nil
        var ended = EndedAttempt(seconds: seconds, error: error, target: attempt.target)
        self.takeExchange(into: &ended)
        return others + [ended]
    }

    private mutating func takeExchange(into ended: inout EndedAttempt) {
        (ended.status, ended.version) = (self.status, self.version)
        (self.status, self.version, self.duration) = (nil, nil, nil)
    }
}
