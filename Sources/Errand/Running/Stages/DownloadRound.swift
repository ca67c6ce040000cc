internal import struct Foundation.URL

/// One round of concurrent requests for parts of a download.
struct DownloadRound {
    let partial: PartialDownload
    /// The stages after this one.
    let next: NextStages

    /// The result of a round.
    struct Responses {
        /// A response with the complete body, and its file.
        var whole: (response: HTTPResponse, file: URL)?
        /// A response with a requested part.
        var part: HTTPResponse?
        /// A response without any of the body.
        var refusal: HTTPResponse?
        /// The error of a lost connection.
        var failure: ErrandError?
        /// The outcome as reported to the plan.
        var outcome = DownloadPlan.Outcome.bytes(isPart: false, refused: 0)
    }

    /// Sends the requests, and waits for all of them.
    ///
    /// - Parameters:
    ///   - request: The request of the caller.
    ///   - asked: The ranges to request; empty for the complete body.
    ///   - run: The run of the download.
    /// - Returns: The responses.
    /// - Throws: ``ErrandError`` that ends the download. Received bytes are kept.
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

    /// Sends several requests concurrently, and cancels the others when one shows that they are useless.
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

    /// Processes the result of one request.
    ///
    /// - Returns: False if the other requests are useless.
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
            // The request was cancelled as useless.
            guard !self.partial.isContradicted else { return false }
            guard error.code == .connectionLost else { throw error }
            responses.failure = error
        }
        return true
    }
}

extension HTTPRequest {
    /// The request for a missing part of a body, or for all of it, without content coding.
    fileprivate func asking(for rest: RangeRequest?) -> HTTPRequest {
        var request = self
        request.headers[HTTPField.Name.acceptEncoding] = "identity"
        rest?.add(to: &request)
        return request
    }
}
