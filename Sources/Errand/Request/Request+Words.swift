internal import struct Foundation.Data

extension Request {
    /// How accessories see this request.
    func makeActivity(_ request: HTTPRequest) -> Activity {
        Activity(
            id: self.id, kind: .request, type: E.self, request: request, options: self.options, parent: self.parent)
    }

    /// How accessories see its end.
    func makeEnd(_ outcome: Outcome<Value>) -> ActivityEnd {
        let result: ActivityEnd.Result
        switch outcome {
        case .success(let response): result = response.source.isCache ? .cached : .finished
        case .failure(let error): result = .failed(error)
        }
        return ActivityEnd(
            result: result, head: self.run.response?.head, bodySize: self.run.response?.data.count,
            attempts: self.run.attempts, timings: self.timings)
    }

    /// Where the time went so far.
    var timings: Timings {
        Timings(queue: self.run.queueTime, total: self.environment.timebase.now - self.run.startedAt)
    }

    /// Completes an error with what is known of this request.
    func complete(_ error: ErrandError) -> ErrandError {
        var context = self.identify(error).context
        if let request = self.run.request {
            context.method = request.method.rawValue
            context.url = request.url.redacted
        }
        context.attempts = self.run.attempts
        if let response = self.run.response, error.concernsResponse {
            context.status = response.status
            context.body = Data(response.data.prefix(ErrandError.Context.bodyLimit))
        }
        var complete = error
        complete.context = context
        return complete
    }

    /// Names this request in an error, when nothing more is at hand.
    nonisolated func identify(_ error: ErrandError) -> ErrandError {
        var error = error
        error.context.requestID = self.id
        error.context.endpointName = String(describing: E.self)
        return error
    }
}

extension ErrandError {
    /// Tells whether the last response belongs to this error.
    fileprivate var concernsResponse: Bool {
        switch self.code {
        case .cancelled, .timedOut, .clientShutDown, .hostNotFound, .cannotConnect, .connectionLost, .tlsFailed: false
        default: true
        }
    }
}
