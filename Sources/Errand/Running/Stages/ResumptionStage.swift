internal import ErrandMachines

internal import struct Foundation.URL

/// The stage that requests the missing rest of a partly downloaded body.
///
/// It encloses the interceptors, which see each partial request and its response as on the wire. The stages outside it
/// see one response with the complete body (RFC 9110 §15.3.7.3).
final class ResumptionStage: Stage {
    private let target: FileTarget
    /// The folder for pieces, the data to resume from, and the number of segments.
    private let resumption: DownloadResumption

    /// - Returns: The stage; `nil` if the body does not go into a file, or if the download is not resumable.
    init?(_ destination: ResponseDestination) {
        guard case .file(let target) = destination.kind, destination.resumption != .never else { return nil }
        (self.target, self.resumption) = (target, destination.resumption)
    }

    var mayWait: Bool { true }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        // A range requested by the caller is not a part of this download.
        guard !request.headers.contains(HTTPField.Name.range),
            let partial = try await PartialDownload.open(
                request.target, for: self.target.place(before: run.call.request.url), in: self.resumption.folder,
                isNamed: !self.target.isFolder, from: self.resumption.resumeData)
        else { return try await next.pass(request, run) }
        run.withReception { $0.reception.partial = partial }
        return Received(try await self.download(partial, request, run, next))
    }

    private func download(
        _ partial: PartialDownload, _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        var plan = DownloadPlan(segments: self.resumption.segments)
        var missing = try await partial.prepare()?.missing
        var asked = plan.begin(missing)
        while true {
            partial.begin(asked, holding: missing?.held ?? 0)
            let round = DownloadRound(partial: partial, next: next)
            let responses = try await round.run(request, asked, in: run)
            if let whole = responses.whole { return run.received(whole.response, in: whole.file, of: partial) }
            if asked.count < 2, let refusal = responses.refusal { return run.refused(refusal) }
            let pieces = try await partial.prepare()
            missing = pieces?.missing
            if let part = responses.part, let pieces, pieces.missing.gaps.isEmpty {
                return run.received(part, in: pieces.file, of: partial)
            }
            guard let further = plan.next(missing, after: responses.outcome) else {
                if let refusal = responses.refusal { return run.refused(refusal) }
                if plan.isTrickle { throw .trickle(after: responses.failure) }
                throw responses.failure ?? .rangeContradicts
            }
            asked = further
        }
    }
}

extension ResponseDestination {
    /// Checks that a request is compatible with this destination.
    ///
    /// - Throws: ``ErrandError`` if it is not.
    func check(_ request: HTTPRequest) throws(ErrandError) {
        if let sha256, sha256.count != 64 || !sha256.allSatisfy(\.isHexDigit) {
            throw ErrandError(.invalidRequest, "\"\(sha256)\" is not a SHA-256 of 64 hexadecimal digits")
        }
        guard case .file = self.kind, self.resumption != .never, request.method != .get else { return }
        throw ErrandError(
            .unsupported, "only a GET can be a resumable download, not \(request.method)")
    }
}

extension RequestRun {
    /// Records that the complete body is in a file, and turns the last response into a complete one.
    fileprivate func received(_ response: HTTPResponse, in file: URL, of partial: PartialDownload) -> HTTPResponse {
        let part = TemporaryFile(file)
        part.keep()
        self.withReception { journey in
            journey.reception.isPartialOver = true
            journey.reception.parts.append(part)
        }
        var response = response
        response.body = .file(file)
        switch response.status {
        case .partialContent: response.head.headers.removeAll(named: HTTPField.Name.contentRange)
        // Its content describes the refusal.
        case .rangeNotSatisfiable: response.head.headers = response.head.headers.withoutContent
        default: return response
        }
        response.head.status = .ok
        for (name, value) in partial.fields where !response.headers.contains(name) {
            response.head.headers[name] = value
        }
        response.head.headers[HTTPField.Name.contentLength] = TemporaryFile.size(of: file).map { "\($0)" }
        return response
    }

    /// Records a response without the body.
    ///
    /// If there will be no body, the received parts are useless.
    fileprivate func refused(_ response: HTTPResponse) -> HTTPResponse {
        if response.status == .notFound || response.status == .gone {
            self.withJourney { $0.reception.isPartialOver = true }
        }
        return response
    }

    /// Ends a resumable download: removes the received parts, or keeps them for a later request.
    func endPartialDownload(_ outcome: RunOutcome) async {
        let (partial, isOver) = self.withJourney { ($0.reception.partial.take(), $0.reception.isPartialOver) }
        guard let partial else { return }
        switch outcome {
        case .failure(let error)
        where !isOver || self.lifeline.stopReason != nil || error.code == .fileFailed:
            let resumeData = await partial.close()
            self.withJourney { $0.reception.resumeData = resumeData }
        case .success, .failure: await partial.remove()
        }
    }
}

extension ErrandError {
    /// The error of a download that receives next to no data per response.
    ///
    /// Received bytes are kept.
    fileprivate static func trickle(after failure: ErrandError?) -> ErrandError {
        ErrandError(
            .connectionLost,
            "the server sent fewer than \(TrickleCounter.least) bytes of the body with each of more than "
                + "\(DownloadPlan.trickleLimit) responses: the rest is not requested for now",
            cause: failure)
    }

    fileprivate static var rangeContradicts: ErrandError {
        ErrandError(.invalidResponse, "the responses for the rest of the body contradict the received part")
    }
}
