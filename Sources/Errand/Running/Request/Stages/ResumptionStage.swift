internal import ErrandMachines

internal import struct Foundation.URL

/// The part of a request's way that asks for the rest of a body whose beginning is there.
///
/// It is around the interceptors, which see each request for a part, and each response to one, as it is on the wire.
/// What is outside of it sees one response with all of the body (RFC 9110 §15.3.7.3).
final class ResumptionStage: Stage {
    /// Where the file goes, as far as that is known before there is a response.
    let place: URL
    /// Where pieces are kept, from what the download goes on, and in how many segments.
    let resumption: DownloadResumption
    /// Whether the place is the caller's choice.
    let isNamed: Bool

    init(place: URL, resumption: DownloadResumption, isNamed: Bool) {
        (self.place, self.resumption, self.isNamed) = (place, resumption, isNamed)
    }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        // A part that the caller asks for is no part of this download.
        guard !request.headers.contains(HTTPField.Name.range),
            let partial = try await PartialDownload.open(
                request.target, for: self.place, in: self.resumption.folder, isNamed: self.isNamed,
                from: self.resumption.resumeData)
        else { return try await next.pass(request, run) }
        run.exchanges.reception.partial = partial
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
    /// The stage for a download that may go on where another one was interrupted; none for any other.
    ///
    /// - Throws: ``ErrandError`` when the request cannot be one.
    func resumption(of request: HTTPRequest) throws(ErrandError) -> (any Stage)? {
        if let sha256, sha256.count != 64 || !sha256.allSatisfy(\.isHexDigit) {
            throw ErrandError(.invalidRequest, "\"\(sha256)\" is no SHA-256: that has 64 hexadecimal digits")
        }
        guard case .file(let target) = self.kind, self.resumption != .never else { return nil }
        guard request.method == .get else {
            throw ErrandError(
                .unsupported, "a download can be resumed only if it is a GET, and this is a \(request.method)")
        }
        let place = target.place(before: request.url)
        return ResumptionStage(place: place, resumption: self.resumption, isNamed: !target.isFolder)
    }
}

extension RequestRun {
    /// Takes note that all of the body is in a file, and makes one response of the last one.
    fileprivate func received(_ response: HTTPResponse, in file: URL, of partial: PartialDownload) -> HTTPResponse {
        self.exchanges.reception.isPartialOver = true
        self.exchanges.reception.parts = self.exchanges.reception.parts + [TemporaryFile(file)]
        self.exchanges.reception.parts.last?.keep()
        var response = response
        response.body = .file(file)
        switch response.status {
        case .partialContent: response.head.headers.removeAll(named: HTTPField.Name.contentRange)
        // Its content is about the refusal.
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

    /// Takes note of a response without the body: where there will be none, a part of it is of no use.
    fileprivate func refused(_ response: HTTPResponse) -> HTTPResponse {
        if response.status == .notFound || response.status == .gone { self.exchanges.reception.isPartialOver = true }
        return response
    }

    /// Ends a download that may go on later: removes what there is of it, or leaves that to the next request.
    func endPartialDownload(_ outcome: RunOutcome) async {
        guard let partial = self.exchanges.reception.partial.take() else { return }
        switch outcome {
        case .failure(let error)
        where !self.exchanges.reception.isPartialOver || self.lifeline.stopReason != nil || error.code == .fileFailed:
            self.exchanges.reception.resumeData = await partial.close()
        case .success, .failure: await partial.remove()
        }
    }
}

extension ErrandError {
    /// What a download ends with of which next to nothing comes each time; what has come is kept.
    fileprivate static func trickle(after failure: ErrandError?) -> ErrandError {
        ErrandError(
            .connectionLost,
            "the server sent fewer than \(TrickleCounter.least) bytes of the body with each of more than "
                + "\(DownloadPlan.trickleLimit) responses: the rest is not asked for now",
            cause: failure)
    }

    fileprivate static var rangeContradicts: ErrandError {
        ErrandError(.invalidResponse, "the server answers requests for the rest of the body with something else")
    }
}
