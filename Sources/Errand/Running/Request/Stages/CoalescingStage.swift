/// The part of a request's way that shares the exchange of an equal one which is under way.
final class CoalescingStage: Stage {
    let flights: Flights

    init(flights: Flights) {
        self.flights = flights
    }

    func handle(
        _ request: HTTPRequest, _ run: RequestRun, _ next: NextStages
    ) async throws(ErrandError) -> HTTPResponse {
        guard request.method.isSafe, let key = await run.flightKey(of: request) else {
            return try await next.pass(request, run)
        }
        let (flight, isFirst) = self.flights.join(key, making: run.makeFlight(of: request))
        defer { self.flights.leave(key, flight) }
        run.exchanges.flight = flight
        defer { run.exchanges.flight = nil }
        if !isFirst { run.hooks.observe(.coalesced, of: run.activity) }
        if !isFirst { flight.request.raiseLater(to: run.priority) }
        let result = await run.wait(for: flight)
        run.note(result, of: flight, isFirst: isFirst)
        var response = try result.get().value
        let origin = response.origin
        response.origin = HTTPResponse.Origin(
            request: origin?.request, url: origin?.url, redirects: origin?.redirects ?? 0,
            source: isFirst ? .network : .coalesced)
        return response
    }
}

extension RequestRun {
    /// The stage for a request that may share its exchange; `nil` for one that may not.
    var coalescing: CoalescingStage? {
        guard self.options.isCoalesced, self.request?.method.isSafe == true,
            self.options.isInMemory,
            // What they add may be who asks.
            self.environment.interceptors(for: self.shared).allSatisfy(\.hasOwnCachePartition)
        else { return nil }
        guard self.options.userInfo.isEmpty || self.environment.interceptors(for: self.shared).isEmpty else {
            return nil
        }
        // Of one that is stored it has to be known as whom it was sent, by each one who stores it.
        let caching = self.options.cachePolicy
        guard
            caching.lifetime == nil && caching.authority != .http
                || self.environment.interceptors(for: self.shared).isEmpty && !self.environment.addsToRequests
        else { return nil }
        return CoalescingStage(flights: self.environment.flights)
    }

    /// What makes the request equal to others: all that makes a difference to a cache, and who asks.
    ///
    /// Nothing makes one equal that works for the authenticator: it carries no token, and others may wait for what it gets.
    fileprivate func flightKey(of request: HTTPRequest) async -> Flights.Key? {
        guard self.environment.refresher?.isAsking != true else { return nil }
        let complete =
            if let known = self.identifiedAtHand(request) { known } else {
                await self.whileStoppable { run throws(Never) in await run.identified(request) }
            }
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

    fileprivate func makeFlight(of request: HTTPRequest) -> Flight {
        let call = SharedCall(
            base: self.endpoint, request: request,
            due: self.totalDeadline.map { $0.left + self.environment.timebase.now })
        var terms = self.terms
        terms.options = SharedOptions(self.options.shared(at: self.priority))
        let observer = self.activity.map { FlightObserver(hooks: self.hooks, activity: $0) }
        return Flight(
            Request(call, on: terms, hooks: Hooks(observer.map { [$0] } ?? []), environment: self.environment))
    }

    /// Waits for the response that others wait for too; whoever is told to stop leaves alone, and at once.
    fileprivate func wait(for flight: Flight) async -> Result<TypedResponse<HTTPResponse>, ErrandError> {
        guard self.exchanges.intercepted == nil, let owner else { return await flight.result }
        return await owner.inCancellableTask(of: self.lifeline, immediately: true) { _ throws(Never) in
            await flight.result
        }
    }

    /// Takes over what became of the exchange.
    fileprivate func note(
        _ result: Result<TypedResponse<HTTPResponse>, ErrandError>, of flight: Flight, isFirst: Bool
    ) {
        switch result {
        case .success(let response): if isFirst { self.exchanges.attempts += response.attempts }
        case .failure(let error):
            if isFirst { self.exchanges.attempts += error.context.attempts }
            self.exchanges.retries = error.context.retries
        }
    }
}

extension Flight {
    /// What comes of it, in the words of whoever waits.
    fileprivate var result: Result<TypedResponse<HTTPResponse>, ErrandError> {
        get async {
            do throws(ErrandError) {
                return .success(try await self.request.response)
            } catch {
                var error = error
                // It is the error of each one who waits.
                if error.context.requestID == self.request.id { error.context.requestID = nil }
                return .failure(error)
            }
        }
    }
}
