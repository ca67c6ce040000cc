internal import struct Foundation.Data

/// Descriptions of a request for accessories, coordinators and errors.
extension RequestRun {
    /// How accessories see this request.
    func makeActivity() -> RequestActivity {
        let options = self.options
        return RequestActivity(
            id: self.id, kind: .request, type: type(of: self.endpoint), name: options.name,
            request: self.request, tag: options.tag, userInfo: options.userInfo, parent: self.parent,
            redaction: self.environment.redaction)
    }

    /// How accessories see its end.
    func makeEnd(_ outcome: RunOutcome) -> RequestActivity.End {
        let result: RequestActivity.End.Result
        switch outcome {
        case .success(let answer): result = answer.source.isCache ? .cached : .finished
        case .failure(let error): result = .failed(error)
        }
        return RequestActivity.End(
            result: result, head: self.exchanges.response?.head, bodySize: self.bodySize, body: self.body,
            attempts: self.exchanges.attempts, timings: self.timings,
            trace: (self.exchanges.response?.origin?.request ?? self.exchanges.call?.request)?.trace?.last)
    }

    /// What is known of its success, but the value; the response is kept until the end for accessories and errors.
    func makeAnswer(_ response: HTTPResponse) -> ResponseSummary {
        let origin = response.origin
        return ResponseSummary(
            response, source: origin?.source ?? .network, timings: self.timings, attempts: self.exchanges.attempts,
            url: origin?.url, redirects: origin?.redirects ?? 0, cacheStatus: self.exchanges.cacheStatus)
    }

    /// The number of bytes of the last response that came to where they should go.
    private var bodySize: Int? {
        switch self.exchanges.response?.body {
        case nil: nil
        case .bytes(let data): data.count
        case .file(let url): TemporaryFile.size(of: url)
        case .stream: self.exchanges.reception.bytesRead
        }
    }

    /// The content of the last response, where it is in memory.
    private var body: Data? {
        guard case .bytes(let data) = self.exchanges.response?.body else { return nil }
        return data
    }

    /// Where redirections have led, if they have.
    private var lastRedirected: HTTPRequest? {
        guard let origin = self.exchanges.response?.origin else { return self.exchanges.call?.redirected }
        return origin.redirects > 0 ? origin.request : nil
    }

    /// The time that each phase took so far.
    var timings: ExchangeMetrics.Timings {
        ExchangeMetrics.Timings(queue: self.queue.time, total: self.environment.timebase.now - self.lifeline.startedAt)
    }

    /// Completes the error of an interrupted download, which is over only now.
    func addingResumeData(to outcome: RunOutcome) -> RunOutcome {
        guard self.exchanges.reception.resumeData != nil, case .failure(let error) = outcome else { return outcome }
        return .failure(self.complete(error))
    }

    /// Completes an error with what is known of this request, unless it is of another one, which an interceptor, an
    /// authenticator or a hook has sent.
    func complete(_ error: ErrandError) -> ErrandError {
        guard error.context.requestID == nil || error.context.requestID == self.id else { return error }
        var context = error.context
        context.requestID = self.id
        context.endpointName = self.options.name ?? type(of: self.endpoint).declaredName
        if let request = self.lastRedirected ?? self.request {
            context.method = request.method.rawValue
            context.url = request.url.redacted
        }
        context.attempts = self.exchanges.attempts
        context.resumeData = self.exchanges.reception.resumeData
        context.retries = self.exchanges.retries
        context.index = context.index ?? self.parent?.position
        if let response = self.exchanges.response, error.concernsResponse {
            context.status = response.status
            context.headers = self.environment.redaction.shown(response.headers)
            context.body = Data(response.data.prefix(ErrandError.Context.bodyLimit))
            context.jsonDecoder = self.json.decoder
        }
        var complete = error
        complete.context = context
        return complete
    }
}

extension ErrandError {
    /// Tells whether the last response belongs to this error.
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
