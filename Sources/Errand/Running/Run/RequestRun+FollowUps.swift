internal import ErrandMachines

/// Follow-ups of responses: storing cookies, answering challenges, and following redirections.
///
/// A transport performs one exchange; a wire call continues until there is a response to deliver. No slot is held
/// between two exchanges, and each exchange takes a slot for its own host.
extension RequestRun {
    /// The maximum number of challenges answered for one request.
    private static let challengeLimit = 2

    var redirects: RedirectPolicy { self.options.redirects }

    /// Sends the request unchanged, without stages.
    ///
    /// - Parameter ticket: The slot for the first exchange, if already acquired.
    /// - Returns: The response to deliver.
    /// - Throws: ``ErrandError`` if there is none.
    func send(holding ticket: AdmissionMachine.Ticket? = nil) async throws(ErrandError) -> HTTPResponse {
        try await self.perform(WireCall(self.request, for: nil), in: self.lifeline, holding: ticket)
    }

    /// Sends a request as changed by stages.
    ///
    /// A stage may continue with another request when a deadline ends this one. The call therefore has its own stop
    /// scope, and is also stopped with the request.
    @inline(never)
    func send(_ request: HTTPRequest, for identity: SentIdentity?) async throws(ErrandError) -> HTTPResponse {
        guard !self.pipeline.sendsApart else { return try await self.sendApart(request, for: identity) }
        self.endEarlierBodies()
        let stops = CallStops()
        self.lifeline.setPending(stops)
        defer { self.lifeline.setPending(nil) }
        return try await self.perform(request, for: identity, in: stops)
    }

    /// Like `send`, for one of several concurrent calls, which ends with the task that waits for it.
    @inline(never)
    private func sendApart(
        _ request: HTTPRequest, for identity: SentIdentity?
    ) async throws(ErrandError) -> HTTPResponse {
        let asked = self.request
        let request = try self.terms.plan.checked(request, with: self.shared, insteadOf: asked.url)
        identity?.note(request, madeOf: asked)
        let stops = CallStops()
        guard self.calls?.begin(stops) ?? true else { throw .sentOnTooLate }
        defer { self.calls?.end(stops) }
        self.endEarlierBodies()
        let result = await withTaskCancellationHandler { () async -> Result<HTTPResponse, ErrandError> in
            do throws(ErrandError) {
                return .success(try await self.perform(request, for: identity, in: stops))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            stops.stop(self.lifeline.stopReason ?? .cancelled)
        }
        let response = try result.get()
        self.calls?.note(response)
        return response
    }

    private func perform(
        _ request: HTTPRequest, for identity: SentIdentity?, in stops: CallStops
    ) async throws(ErrandError) -> HTTPResponse {
        let call = WireCall(request, for: identity)
        self.note(call)
        return try await self.perform(call, in: stops)
    }

    /// Records the request for errors and for stages that decide about further ones.
    private func note(_ call: WireCall) {
        let shown = call.shown
        let last = self.withJourney { journey in
            defer { journey.sent = shown }
            return journey.sent
        }
        withExtendedLifetime(last) {}
    }

    /// Sends the request of a call and its follow-ups.
    ///
    /// A stop of `scope` ends it.
    private func perform(
        _ call: WireCall, in scope: any StopScope, holding first: AdmissionMachine.Ticket? = nil
    ) async throws(ErrandError) -> HTTPResponse {
        let response = try await self.exchange(call, in: scope, holding: first)
        guard response.status.mayNeedFollowUp || self.pipeline.sendsApart else { return response }
        return try await self.followUp(response, call, in: scope)
    }

    /// Performs one exchange of a call, acquiring a slot if it has none.
    private func exchange(
        _ call: WireCall, in scope: any StopScope, holding slot: AdmissionMachine.Ticket?
    ) async throws(ErrandError) -> HTTPResponse {
        if let keeper = self.environment.refresher?.keeper {
            try await self.prepareCredential(for: call)
            self.notify(of: keeper)
        }
        guard let slot else {
            let slot = try await self.takeSlot(call.request.url.authority, in: scope)
            return try await self.attempt(call, in: scope, holding: slot)
        }
        return try await self.attempt(call, in: scope, holding: slot)
    }

    /// Sends the follow-ups of responses.
    @inline(never)
    private func followUp(
        _ first: HTTPResponse, _ call: WireCall, in scope: any StopScope
    ) async throws(ErrandError) -> HTTPResponse {
        var response = first
        while response.status.mayNeedFollowUp {
            // In a task, because policies and authenticators may compute for long and check for cancellation.
            let (state, received) = (call.state, response)
            guard
                let next = try await self.inTask(
                    of: scope, immediately: false,
                    { () async throws(ErrandError) in try await self.followUp(to: received, of: state) })
            else { break }
            call.follow(response, by: next)
            self.note(call)
            response = try await self.exchange(call, in: scope, holding: nil)
        }
        if call.redirects > 0 || self.pipeline.sendsApart { response.origin = call.origin }
        return response
    }

    // MARK: - After an exchange

    /// Returns the follow-up of a response; `nil` if the response is to be delivered.
    private func followUp(
        to response: HTTPResponse, of call: WireCall.State
    ) async throws(ErrandError) -> WireCall.FollowUp? {
        do throws(ErrandError) {
            if response.status == .unauthorized { return try await self.answerChallenges(of: response, call) }
            return response.status.isFollowable ? try await self.followRedirection(of: response, call) : nil
        } catch {
            self.note(response)
            throw error
        }
    }

    /// Keeps the response for the context of an error, unless the final response has been chosen already.
    func note(_ response: HTTPResponse?) {
        if self.calls?.isOver != true { self.noteLast(response) }
    }

    private func answerChallenges(
        of response: HTTPResponse, _ call: WireCall.State
    ) async throws(ErrandError) -> WireCall.FollowUp? {
        guard let refresher = self.environment.refresher,
            self.terms.plan.answersChallenges(of: call.sent.url, with: self.shared)
        else { return nil }
        if let keeper = refresher.keeper {
            return try await self.renewCredential(of: call, response, refresher, keeper) ? .again : nil
        }
        let refused = call.sent.headers[HTTPField.Name.authorization]
        let place =
            call.answered(refused)
            ?? self.environment.credentialKey(of: call.request, under: self.terms)
        guard call.request.body.isRepeatable, !refresher.isAsking, let number = self.countChallenge() else {
            refresher.forget(refused, at: place)
            return nil
        }
        let context = self.context(of: call, response, refused: nil, number)
        let deadline = self.setAuthenticationDeadline()
        defer { deadline?.clear() }
        return try await refresher.answer(to: refused, at: place, context).map { .answer($0, place) }
    }

    /// Limits the time for which the request waits for an authenticator, which may itself wait for this request.
    func setAuthenticationDeadline() -> Deadlines? {
        self.timeouts.authentication.map {
            Deadlines(
                Deadlines.Limits(whole: ($0, .authenticationTimedOut($0))), since: self.environment.timebase.now,
                self.environment, of: self.lifeline)
        }
    }

    /// Counts a challenge; returns `nil` if the limit is reached.
    private func countChallenge() -> Int? {
        let most = Self.challengeLimit * self.destination.resumption.segments
        return self.withJourney { journey in
            guard journey.challenges < most else { return nil }
            journey.challenges += 1
            return journey.challenges
        }
    }

    private func context(
        of call: WireCall.State, _ response: HTTPResponse?, refused: String?, _ number: Int
    ) -> AuthenticationContext {
        let request = response == nil ? call.request : call.sent
        return AuthenticationContext(
            requestID: self.id, method: request.method, url: request.url, challenges: response?.head.challenges ?? [],
            attempt: number, refused: refused, date: self.environment.date())
    }

    private func followRedirection(
        of response: HTTPResponse, _ call: WireCall.State
    ) async throws(ErrandError) -> WireCall.FollowUp? {
        let policy = self.redirects
        guard policy.kind != .never else { return nil }
        var trail = call.trail ?? RedirectTrail(policy, secrets: self.environment.secretHeaders)
        guard let redirection = try trail.redirection(of: call.request, sentAs: call.sent, by: response.head)
        else { return nil }
        let next: HTTPRequest
        switch await policy.decision(about: redirection) {
        case .stop: return nil
        case .follow: next = try trail.next(after: redirection, from: call.request)
        case .send(let changed): next = try trail.next(after: redirection, from: call.request, changed: changed)
        }
        self.lifeline.note(next.url)
        return .redirection(trail, to: next)
    }
}

// MARK: - Kept credentials

extension RequestRun {
    /// Reports a notice of the credential store to accessories, if there are any.
    @inline(never)
    private func notify(of keeper: any PreemptiveAuthenticator) {
        guard let watch = self.watch, let notice = keeper.takeNotice() else { return }
        watch.hooks.observe(.notice(notice), of: watch.activity)
    }

    /// Waits without a slot until the credential for a call can be sent.
    @inline(never)
    private func prepareCredential(for call: WireCall) async throws(ErrandError) {
        guard let refresher = self.environment.refresher,
            let place = self.environment.keptKey(
                of: call.request, under: self.terms),
            !refresher.isReady(at: place, for: call.request.url, self.environment.date())
        else { return }
        let context = self.context(of: call.state, nil, refused: nil, self.withJourney { $0.challenges })
        // A body that cannot be sent again waits, because the server may accept only the next credential.
        if call.request.body.isRepeatable, refresher.renewsAhead(at: place, context) { return }
        let deadline = self.setAuthenticationDeadline()
        defer { deadline?.clear() }
        try await refresher.prepare(at: place, context)
    }

    /// Obtains a replacement for a refused credential; returns false if there is none.
    private func renewCredential(
        of call: WireCall.State, _ response: HTTPResponse, _ refresher: CredentialRefresher,
        _ keeper: any PreemptiveAuthenticator
    ) async throws(ErrandError) -> Bool {
        guard let kept = call.kept, let number = self.countChallenge() else { return false }
        let context = self.context(of: call, response, refused: kept.credential.key, number)
        guard call.request.body.isRepeatable else {
            keeper.noteRefusal(context)
            return false
        }
        let deadline = self.setAuthenticationDeadline()
        defer { deadline?.clear() }
        return try await refresher.answer(to: kept.credential.key, at: kept.place, context) != nil
    }
}

extension HTTPStatus {
    /// True if a response with this status may need a follow-up.
    ///
    /// A fast check for the many that do not.
    var mayNeedFollowUp: Bool { 300...401 ~= self.code && self != .notModified }
}
