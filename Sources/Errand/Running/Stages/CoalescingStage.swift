/// The stage that shares the exchange of an equal request in flight.
final class CoalescingStage: Stage {
    let flights: Flights

    init(flights: Flights) {
        self.flights = flights
    }

    var mayWait: Bool { true }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> Received {
        guard request.method.isSafe, let key = await run.flightKey(of: request) else {
            return try await next.pass(request, run)
        }
        guard let owner = run.owner else { throw .cancelled() }
        let asked = run.priority
        let (flight, isFirst) = self.flights.join(key, making: run.makeFlight(of: request, by: owner))
        defer { self.flights.leave(key, flight) }
        let priority = run.withJourney { journey in
            journey.flight = flight
            return journey.queue.priority ?? asked
        }
        defer { run.withJourney { $0.flight = nil } }
        if !isFirst {
            run.observe(.coalesced)
        }
        // This request may be more urgent than the one that began the exchange, or have become so since.
        if !isFirst || priority != asked { flight.raiseLater(to: priority) }
        // A stopped waiter leaves alone and at once.
        let result = await flight.wait()
        run.note(result, isFirst: isFirst)
        var response = try result.get().value
        let origin = response.origin
        response.origin = HTTPResponse.Origin(
            request: origin?.request, url: origin?.url, redirects: origin?.redirects ?? 0,
            source: isFirst ? .network : .coalesced)
        return Received(response)
    }
}

extension RequestRun {
    /// The key under which requests are equal: everything that distinguishes cached responses, and the identity.
    ///
    /// A request of the authenticator itself is never equal to others: it carries no token, and others may wait for its
    /// result.
    fileprivate func flightKey(of request: HTTPRequest) async -> Flights.Key? {
        guard self.environment.refresher?.isAsking != true else { return nil }
        let complete = await self.identified(request)
        guard self.lifeline.stopReason == nil else { return nil }
        let key = CacheKey(
            complete, redirects: self.redirects, secretHeaders: self.environment.secretHeaders,
            partition: self.environment.cachePartition(for: self.shared))
        let tag = self.options.tag.flatMap { self.environment.admission.isLimited(tag: $0) ? $0 : nil }
        return key.map {
            Flights.Key(
                request: $0, plan: ObjectIdentifier(self.terms.plan), generation: self.terms.generation,
                rules: self.options.sharedRules, limitedTag: tag)
        }
    }

    fileprivate func makeFlight(of request: HTTPRequest, by owner: any RequestOwner) -> any Flight {
        let call = SharedCall(base: self.call.endpoint, request: request)
        let due = self.withJourney { $0.totalDeadline }?.left.map { $0 + self.environment.timebase.now }
        var terms = self.terms
        terms.options = SharedOptions(self.options.shared(at: self.priority, due: due))
        let observer = self.watch.map { FlightObserver(hooks: $0.hooks, activity: $0.activity) }
        return owner.share(call, on: terms, telling: Hooks(observer.map { [$0] } ?? []))
    }

    /// Records the result of the exchange.
    fileprivate func note(
        _ result: Result<TypedResponse<HTTPResponse>, ErrandError>, isFirst: Bool
    ) {
        self.withJourney { journey in
            switch result {
            case .success(let response): if isFirst { journey.attempts += response.attempts }
            case .failure(let error):
                if isFirst { journey.attempts += error.context.attempts }
                journey.retries = error.context.retries
            }
        }
    }
}
