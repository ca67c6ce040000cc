internal import struct Foundation.Data

/// Descriptions of a request for accessories, coordinators, and errors.
extension RequestRun {
    /// The end as passed to accessories.
    func makeEnd(_ outcome: RunOutcome) -> RequestActivity.End {
        let result: RequestActivity.End.Result
        switch outcome {
        case .success(let answer): result = answer.source.isCache ? .cached : .finished
        case .failure(let error): result = .failed(error)
        }
        let now = self.environment.timebase.now
        let (response, sent, attempts, bytesRead, timings) = self.withJourney {
            ($0.response, $0.sent, $0.attempts, $0.reception.bytesRead, $0.timings(until: now))
        }
        return RequestActivity.End(
            result: result, head: response?.head, bodySize: response?.bodySize(ofStream: bytesRead),
            body: response?.bytes, attempts: attempts, timings: timings,
            trace: (response?.origin?.request ?? sent?.request)?.trace?.last)
    }

    /// The summary of a success without the value.
    ///
    /// The response is kept until the end for accessories and errors.
    func makeAnswer(_ response: HTTPResponse, _ cacheStatus: ResponseSource.CacheStatus? = nil) -> ResponseSummary {
        let origin = response.origin
        let now = self.environment.timebase.now
        let (timings, attempts) = self.withJourney { ($0.timings(until: now), $0.attempts) }
        return ResponseSummary(
            response, source: origin?.source ?? .network, timings: timings, attempts: attempts,
            url: origin?.url, redirects: origin?.redirects ?? 0, cacheStatus: cacheStatus)
    }

    /// Adds the resume data to the error of an interrupted download, which is available only now.
    func addingResumeData(to outcome: RunOutcome) -> RunOutcome {
        guard self.mayHaveReception, self.withJourney({ $0.reception.resumeData != nil }),
            case .failure(let error) = outcome
        else {
            return outcome
        }
        return .failure(self.complete(error))
    }

    /// Completes an error with the details of this request.
    ///
    /// Errors of other requests, sent by an interceptor, an authenticator, or a hook, are left unchanged.
    func complete(_ error: ErrandError) -> ErrandError {
        guard error.isOpen(for: self.id) else { return error }
        var context = error.context
        let response = self.withJourney { journey in
            let redirected = journey.response?.origin.map { $0.redirects > 0 ? $0.request : nil }
            let request = (redirected ?? journey.sent?.redirected) ?? journey.request
            context.method = request.method.rawValue
            context.url = request.url.redacted
            context.attempts = journey.attempts
            context.resumeData = journey.reception.resumeData
            context.retries = journey.retries
            return journey.response
        }
        if let response, error.concernsResponse {
            context.status = response.status
            context.headers = self.environment.redaction.shown(response.headers)
            context.body = Data(response.data.prefix(ErrandError.Context.bodyLimit))
            context.jsonDecoder = self.json.decoder
        }
        var complete = error
        complete.context = context
        return complete.of(self.id, self.options.name ?? type(of: self.call.endpoint).declaredName, self.parent)
    }
}

extension RequestRun.Journey {
    /// The timings until now.
    fileprivate func timings(until now: Duration) -> ExchangeMetrics.Timings {
        ExchangeMetrics.Timings(queue: self.queue.time, total: now - self.startedAt)
    }
}

extension RequestActivity {
    /// Creates the activity that describes a request to accessories.
    init(of call: Call, _ id: RequestID, _ parent: ParentLink?, _ environment: RequestEnvironment) {
        let options = call.terms.options
        self.init(
            id: id, kind: .request, type: type(of: call.endpoint), name: options.value.name, request: call.request,
            tag: options.value.tag, userInfo: options.value.userInfo, parent: parent, redaction: environment.redaction)
    }
}

extension HTTPResponse {
    /// The content, if it is in memory.
    fileprivate var bytes: Data? { if case .bytes(let data) = self.body { data } else { nil } }

    /// The number of body bytes that reached their destination.
    fileprivate func bodySize(ofStream count: Int) -> Int? {
        switch self.body {
        case .bytes(let data): data.count
        case .file(let url): TemporaryFile.size(of: url)
        case .stream: count
        }
    }
}

extension ErrandError {
    /// True if the error belongs to no request yet or to this one, and not to another one sent by an interceptor, an
    /// authenticator, or a hook.
    func isOpen(for id: RequestID) -> Bool { self.context.requestID == nil || self.context.requestID == id }

    /// Returns the error with the details of a request.
    func of(_ id: RequestID, _ name: String, _ parent: ParentLink?) -> ErrandError {
        var error = self
        error.context.requestID = id
        error.context.endpointName = name
        error.context.index = error.context.index ?? parent?.position
        return error
    }
}

extension ErrandError {
    /// True if the last response is relevant to this error.
    fileprivate var concernsResponse: Bool {
        switch self.code {
        case .cancelled, .timedOut, .clientShutDown, .hostNotFound, .cannotConnect, .proxyAuthenticationFailed,
            .connectionLost, .tlsFailed:
            false
        default: true
        }
    }
}

extension RequestRun: CustomReflectable {
    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: []) }
}
