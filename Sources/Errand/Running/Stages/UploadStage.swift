/// The stage that resumes an interrupted upload.
///
/// It encloses the interceptors, which see each of its requests and responses as on the wire. The stages outside it see
/// one response.
final class UploadStage: Stage {
    let resumption: UploadResumption

    init(resumption: UploadResumption) {
        self.resumption = resumption
    }

    var mayWait: Bool { true }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        // A draft upload without content has nothing to offer; tus creates an empty upload.
        if case .none = request.body, case .draft = self.resumption.kind { return try await next.pass(request, run) }
        let upload = try await self.open(request, run)
        run.withReception { $0.upload = upload }
        var step = upload.first
        // The last result, and the last response to a request with content.
        var (last, earlier): (UploadResult?, HTTPResponse?)
        while true {
            switch step {
            case .create:
                try upload.requests.source.check()
                let begin = try self.creation(of: upload)
                let (url, count) = (begin.url, try begin.body.length())
                let result = try await Self.send(begin, of: upload, run, next)
                (last, earlier) = (result, result.response)
                step = upload.next { $0.created(result.outcome, from: result.url(or: url), count: count) }
            case .createAgain(let delay):
                try await run.wait(for: delay)
                step = .create
            case .ask(let location, let delay):
                try await run.wait(for: delay)
                let question = upload.requests.question(at: location, upload.dialect)
                let result = try await Self.send(question, of: upload, run, next)
                last = result
                let most = upload.requests.source.most
                step = upload.next { $0.asked(result.outcome, atMost: most) }
            case .append(let location, let offset, let count):
                try upload.requests.source.check()
                let rest = try upload.requests.append(to: location, from: offset, count: count, upload.dialect)
                let result = try await Self.send(rest, of: upload, run, next)
                (last, earlier) = (result, result.response)
                step = upload.next { $0.appended(result.outcome, count: count) }
            case .deliver(let isOver):
                run.withJourney { $0.isUploadOver = isOver }
                guard let last else { throw .cancelled() }
                return Received(try upload.requests.source.delivering(try last.get()))
            case .deliverEarlier:
                run.withJourney { $0.isUploadOver = true }
                guard let earlier else { throw .cancelled() }
                return Received(try upload.requests.source.delivering(earlier))
            case .fail(let problem): throw problem.error
            }
        }
    }

    private func open(_ request: HTTPRequest, _ run: RequestRun) async throws(ErrandError) -> ResumableUpload {
        let requests = UploadRequests(
            original: request, credentials: run.environment.credentialFields, source: try UploadSource(request.body))
        switch self.resumption.kind {
        case .draft(let version) where UploadDialect.draftVersions.contains(version):
            return try await .open(requests, .draft(version: version), chunkSize: nil, in: self.resumption.folder)
        case .draft(let version):
            throw ErrandError(.unsupported, "interop version \(version) of resumable uploads is not supported")
        case .tus(let chunkSize, _, _):
            guard chunkSize ?? 1 > 0 else {
                throw ErrandError(.unsupported, "an upload cannot be sent in chunks of \(chunkSize ?? 0) bytes")
            }
            return try await .open(requests, .tus, chunkSize: chunkSize, in: self.resumption.folder)
        case .never: throw ErrandError(.unsupported, "this upload is not resumable")
        }
    }

    private func creation(of upload: ResumableUpload) throws(ErrandError) -> HTTPRequest {
        guard case .tus(let chunkSize, let metadata, let sendsWithCreation) = self.resumption.kind else {
            return upload.requests.offer(upload.offer)
        }
        let length = upload.requests.source.length ?? 0
        return try upload.requests.creation(metadata, with: sendsWithCreation ? min(chunkSize ?? length, length) : nil)
    }

    /// Sends a request of the upload.
    ///
    /// A failure that another request may follow is returned as a result.
    private static func send(
        _ request: HTTPRequest, of upload: ResumableUpload, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> UploadResult {
        // The credential may expire between the requests of a long upload.
        run.withJourney { $0.challenges = 0 }
        do throws(ErrandError) {
            return .success(try await next.pass(request, run).response)
        } catch {
            guard run.lifeline.stopReason == nil else { throw error }
            // A file that was truncated or deleted cannot be read: that it has changed is the better error.
            if error.code == .encodingFailed { try upload.requests.source.check() }
            guard error.mayBeFollowedByAnother else { throw error }
            return .failure(error)
        }
    }
}

/// The result of a request of an upload.
private typealias UploadResult = Result<HTTPResponse, ErrandError>

extension UploadResult {
    fileprivate var response: HTTPResponse? { try? self.get() }

    fileprivate var outcome: UploadMachine.Outcome {
        switch self {
        case .success(let response): .response(response.head)
        case .failure: .lost
        }
    }

    /// The URL of the response.
    fileprivate func url(or url: HTTPURL) -> HTTPURL { self.response?.origin?.url ?? url }
}

extension UploadSource {
    /// Returns the response, unless it confirms content that has changed since it was read.
    fileprivate func delivering(_ response: HTTPResponse) throws(ErrandError) -> HTTPResponse {
        if 200...299 ~= response.status.code { try self.check() }
        return response
    }
}

extension ErrandError {
    /// True for connection errors, after which the next request may succeed.
    fileprivate var mayBeFollowedByAnother: Bool {
        [.connectionLost, .cannotConnect, .hostNotFound, .timedOut].contains(self.code)
    }
}

extension RequestRun {
    /// Ends an upload.
    ///
    /// Its record is kept for a later request if the upload can be resumed.
    func endUpload() async {
        let (upload, isOver) = self.withJourney { ($0.upload.take(), $0.isUploadOver) }
        await upload?.close(isOver: isOver)
    }
}
