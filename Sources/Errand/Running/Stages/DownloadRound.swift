internal import struct Foundation.URL

/// The requests of a download that are sent at once, and what comes of them.
struct DownloadRound {
    let partial: PartialDownload
    /// What they go through.
    let next: NextStages

    /// What has come of a round.
    struct Responses {
        /// A response with all of the body, and where that is.
        var whole: (response: HTTPResponse, file: URL)?
        /// One with a part that was asked for.
        var part: HTTPResponse?
        /// One that is none of the body.
        var refusal: HTTPResponse?
        /// Why a connection was lost.
        var failure: ErrandError?
        /// What it is to the plan.
        var outcome = DownloadPlan.Outcome.bytes(isPart: false, refused: 0)
    }

    /// Sends the requests, and waits for all of them.
    ///
    /// - Parameters:
    ///   - request: The request of the caller.
    ///   - asked: What to ask for; nothing where that is all of the body.
    ///   - run: The run that they belong to.
    /// - Returns: What has come of them.
    /// - Throws: ``ErrandError`` that ends the download: what has come is kept.
    func run(
        _ request: HTTPRequest, _ asked: [RangeRequest], in run: RequestRun
    ) async throws(ErrandError) -> Responses {
        var responses = Responses()
        var refused = 0
        if asked.count < 2 {
            let result = await self.next.result(of: request.asking(for: asked.first), run)
            _ = try await self.take(result, &responses, &refused, run.lifeline)
        } else {
            try await self.send(asked.map(request.asking), &responses, &refused, in: run)
        }
        guard self.partial.isContradicted else {
            responses.outcome = .bytes(isPart: self.partial.hasPart, refused: refused)
            return responses
        }
        await self.partial.discardPieces()
        responses.outcome = .contradiction
        return responses
    }

    /// Sends several requests at once; when one of them shows that the others are of no use, those end.
    private func send(
        _ requests: [HTTPRequest], _ responses: inout Responses, _ refused: inout Int, in run: RequestRun
    ) async throws(ErrandError) {
        let lifeline = run.lifeline
        var found = responses
        var count = 0
        let problem = await withTaskGroup(of: Result<Received, ErrandError>.self) { group in
            for request in requests {
                group.addTask { [next] in await next.result(of: request, run) }
            }
            var problem: ErrandError?
            for await result in group where problem == nil {
                do throws(ErrandError) {
                    if try await !self.take(result, &found, &count, lifeline) { group.cancelAll() }
                } catch {
                    problem = error
                    group.cancelAll()
                }
            }
            return problem
        }
        (responses, refused) = (found, count)
        if let problem { throw problem }
    }

    /// Takes what has come of one request.
    ///
    /// - Returns: Whether the others may still be of use.
    private func take(
        _ result: Result<Received, ErrandError>, _ responses: inout Responses, _ refused: inout Int,
        _ lifeline: Lifeline
    ) async throws(ErrandError) -> Bool {
        switch result {
        case .success(let received):
            let response = received.response
            switch await self.partial.take(response) {
            case .whole(let file): responses.whole = (response, file)
            case .part: responses.part = response
            case .other:
                responses.refusal = response
                refused += 1
            case .contradiction: return false
            }
        case .failure(let error):
            if let reason = lifeline.stopReason { throw reason.error }
            // What was of no use was ended.
            guard !self.partial.isContradicted else { return false }
            guard error.code == .connectionLost else { throw error }
            responses.failure = error
        }
        return true
    }
}

extension HTTPRequest {
    /// The request for what is missing of a body, or for all of it; as it is, not coded.
    fileprivate func asking(for rest: RangeRequest?) -> HTTPRequest {
        var request = self
        request.headers[HTTPField.Name.acceptEncoding] = "identity"
        rest?.add(to: &request)
        return request
    }
}
