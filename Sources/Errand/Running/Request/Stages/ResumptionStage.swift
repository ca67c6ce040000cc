internal import struct Foundation.URL

/// The part of a request's way that asks for the rest of a body whose beginning is there.
///
/// It is around the interceptors, which see each request for a part, and each response to one, as it is on the wire.
/// What is outside of it sees one response with all of the body (RFC 9110 §15.3.7.3).
struct ResumptionStage: Stage {
    /// Where the file goes, as far as that is known before there is a response.
    let place: URL
    /// Where pieces are kept; `nil` for the folder of the place.
    let folder: URL?

    /// Whether the place is the caller's choice.
    let isNamed: Bool

    /// How often a download may begin anew, because the server contradicts what it said before.
    private static let restartLimit = 2

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        // A part that the caller asks for is no part of this download.
        guard !request.headers.contains(HTTPFieldName.range),
            let partial = try await PartialDownload.open(
                request.url, for: self.place, in: self.folder, isNamed: self.isNamed)
        else { return try await next.pass(request, run) }
        run.exchanges.reception.partial = partial
        var asked = try await partial.prepare()
        var restarts = 0
        while true {
            var (failure, isContradiction) = (ErrandError.rangeContradicts, false)
            do throws(ErrandError) {
                let response = try await next.pass(request.asking(for: asked), run)
                switch try await partial.take(response) {
                case .whole(let file): return run.received(response, in: file, of: partial)
                case .other: return run.refused(response)
                case .contradiction: isContradiction = true
                case .incomplete: break
                }
            } catch {
                guard error.code == .connectionLost, run.lifeline.stopReason == nil else { throw error }
                failure = error
            }
            let rest = try await partial.prepare()
            if isContradiction || asked != nil && rest?.representation != asked?.representation {
                // It has begun anew: that may be so once or twice, and not for ever.
                restarts += 1
                guard restarts <= Self.restartLimit, isContradiction || rest != nil else { throw failure }
            } else {
                // A connection that brings nothing is no reason for another one.
                guard let rest, rest.first > asked?.first ?? 0 else { throw failure }
            }
            asked = rest
        }
    }
}

extension ResponseDestination {
    /// The stage for a download that may go on where another one was interrupted.
    ///
    /// - Throws: ``ErrandError`` when the request cannot be one.
    func resumption(of request: HTTPRequest) throws(ErrandError) -> [any Stage] {
        if let sha256, sha256.count != 64 || !sha256.allSatisfy(\.isHexDigit) {
            throw ErrandError(.invalidRequest, "\"\(sha256)\" is no SHA-256: that has 64 hexadecimal digits")
        }
        guard case .file(let target) = self.kind, case .automatic(let folder) = self.resumption.kind else { return [] }
        guard request.method == .get else {
            throw ErrandError(
                .unsupported, "a download can be resumed only if it is a GET, and this is a \(request.method)")
        }
        return [ResumptionStage(place: target.place(before: request.url), folder: folder, isNamed: !target.isFolder)]
    }
}

extension RequestRun {
    /// Takes note that all of the body is in a file, and makes one response of the last one.
    fileprivate func received(_ response: HTTPResponse, in file: URL, of partial: PartialDownload) -> HTTPResponse {
        self.exchanges.reception.isPartialOver = true
        self.exchanges.reception.parts.append(TemporaryFile(file))
        self.exchanges.reception.parts.last?.keep()
        var response = response
        response.body = .file(file)
        guard response.status == .partialContent else { return response }
        response.head.status = .ok
        response.head.headers.removeAll(named: HTTPFieldName.contentRange)
        for (name, value) in partial.fields where !response.headers.contains(name) {
            response.head.headers[name] = value
        }
        response.head.headers[HTTPFieldName.contentLength] = TemporaryFile.size(of: file).map { "\($0)" }
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
            await partial.close()
        case .success, .failure: await partial.remove()
        }
    }
}

extension HTTPRequest {
    /// The request for what is missing of a body, or for all of it; as it is, not coded.
    fileprivate func asking(for rest: RangeRequest?) -> HTTPRequest {
        var request = self
        request.headers[HTTPFieldName.acceptEncoding] = "identity"
        rest?.add(to: &request)
        return request
    }
}

extension ErrandError {
    fileprivate static var rangeContradicts: ErrandError {
        ErrandError(.invalidResponse, "the server answers requests for the rest of the body with something else")
    }
}
