internal import ErrandMachines

/// What responses lead to: cookies to keep, challenges to answer, redirections to follow.
///
/// A transport does one exchange; a call of the wire goes on until there is a response to deliver. No slot is held
/// between two exchanges, and each takes its own for its own host.
extension RequestRun {
    /// How often the authenticator is asked for one request.
    private static let challengeLimit = 2

    var redirects: RedirectPolicy { self.options.redirects }

    /// Sends the request as it is, where there are no interceptors.
    ///
    /// - Parameter ticket: The slot for its first exchange, if it has that already.
    /// - Returns: The response to deliver.
    /// - Throws: ``ErrandError`` when there is none.
    func send(holding ticket: AdmissionMachine.Ticket? = nil) async throws(ErrandError) -> HTTPResponse {
        try await self.perform(try self.makeCall(), in: self.lifeline, holding: ticket)
    }

    /// Sends what stages made of the request.
    ///
    /// Those that run no code of others may go on with something else too, when a deadline ends that. So the call is stopped
    /// by itself, and by what stops its request.
    @inline(never)
    func send(_ request: HTTPRequest) async throws(ErrandError) -> HTTPResponse {
        guard self.exchanges.intercepted == nil else { return try await self.sendApart(request) }
        self.endEarlierBodies()
        let (call, stops) = (WireCall(request), CallStops())
        self.exchanges.call = call
        self.lifeline.setPending(stops)
        defer { self.lifeline.setPending(nil) }
        return try await self.perform(call, in: stops)
    }

    private func makeCall() throws(ErrandError) -> WireCall {
        guard let request = self.request else { throw .cancelled() }
        let call = WireCall(request)
        self.exchanges.call = call
        return call
    }

    /// Sends the request of a call, and what its responses lead to; `scope` is whose stops end it.
    func perform(
        _ call: WireCall, in scope: any StopScope, holding first: AdmissionMachine.Ticket? = nil
    ) async throws(ErrandError) -> HTTPResponse {
        let response = try await self.exchange(call, in: scope, holding: first)
        guard response.status.mayNeedFollowUp || self.exchanges.intercepted != nil else { return response }
        return try await self.followUp(response, call, in: scope)
    }

    /// Does one exchange of a call; takes a slot for it where it has none.
    private func exchange(
        _ call: WireCall, in scope: any StopScope, holding slot: AdmissionMachine.Ticket?
    ) async throws(ErrandError) -> HTTPResponse {
        if let keeper = self.environment.refresher?.keeper {
            try await self.prepareCredential(for: call, in: scope)
            self.notify(of: keeper)
        }
        guard let slot else {
            let slot = try await self.takeSlot(call.request.url.authority, in: scope)
            return try await self.attempt(call, in: scope, holding: slot)
        }
        return try await self.attempt(call, in: scope, holding: slot)
    }

    /// Sends what the responses lead to.
    @inline(never)
    private func followUp(
        _ first: HTTPResponse, _ call: WireCall, in scope: any StopScope
    ) async throws(ErrandError) -> HTTPResponse {
        var response = first
        while response.status.mayNeedFollowUp, try await self.needsFollowUp(call, response, in: scope) {
            call.endBody()
            response = try await self.exchange(call, in: scope, holding: nil)
        }
        if call.redirects > 0 || self.exchanges.intercepted != nil { response.origin = call.origin }
        return response
    }

    // MARK: - After an exchange

    /// Tells whether a call has something else to send because of a response; asks policies and authenticators, which
    /// may compute for long and look whether they are cancelled.
    @inline(never)
    private func needsFollowUp(
        _ call: WireCall, _ response: HTTPResponse, in scope: any StopScope
    ) async throws(ErrandError) -> Bool {
        // An interceptor's call runs in the task of that, which is cancelled with the request.
        guard self.exchanges.intercepted == nil, let owner = self.owner else {
            return try await self.needsFollowUp(call, response)
        }
        return try await owner.inCancellableTask(of: scope, immediately: false) { run throws(ErrandError) in
            guard let call = run.exchanges.call else { return false }
            return try await run.needsFollowUp(call, response)
        }
    }

    /// Tells whether a call has something else to send because of a response.
    private func needsFollowUp(_ call: WireCall, _ response: HTTPResponse) async throws(ErrandError) -> Bool {
        do throws(ErrandError) {
            if response.status == .unauthorized { return try await self.answerChallenges(of: response, call) }
            return response.status.isFollowable ? try await self.followRedirection(of: response, call) : false
        } catch {
            self.note(response)
            throw error
        }
    }

    /// Keeps the response that an error is about, unless another one was chosen already.
    func note(_ response: HTTPResponse?) {
        if self.exchanges.intercepted?.isOver != true { self.exchanges.response = response }
    }

    private func answerChallenges(of response: HTTPResponse, _ call: WireCall) async throws(ErrandError) -> Bool {
        guard let refresher = self.environment.refresher,
            self.terms.plan.answersChallenges(of: call.sent.url, with: self.shared)
        else { return false }
        if let keeper = refresher.keeper {
            return try await self.renewCredential(of: call, response, refresher, keeper)
        }
        let refused = call.sent.headers[HTTPField.Name.authorization]
        let place =
            call.answered(refused)
            ?? self.environment.credentialPlace(of: call.request, under: self.terms)
        guard self.mayAskAgain, call.request.body.isRepeatable, !refresher.isAsking else {
            refresher.forget(refused, at: place)
            return false
        }
        self.exchanges.challenges += 1
        let context = self.context(of: call, response, refused: nil)
        let deadline = self.setAuthenticationDeadline()
        defer { deadline?.clear() }
        guard let value = try await refresher.answer(to: refused, at: place, context) else { return false }
        call.answer(value, at: place)
        return true
    }

    /// Limits how long the request waits for an authenticator, which may wait for this very request.
    func setAuthenticationDeadline() -> RequestDeadline? {
        self.timeouts.authentication.map {
            RequestDeadline(
                $0, since: self.environment.timebase.now, self.environment, stopping: self.lifeline,
                because: .authenticationTimedOut($0))
        }
    }

    private var mayAskAgain: Bool {
        self.exchanges.challenges < Self.challengeLimit * self.destination.resumption.segments
    }

    private func context(
        of call: WireCall, _ response: HTTPResponse?, refused: String?
    ) -> AuthenticationContext {
        let request = response == nil ? call.request : call.sent
        return AuthenticationContext(
            requestID: self.id, method: request.method, url: request.url, challenges: response?.head.challenges ?? [],
            attempt: self.exchanges.challenges, refused: refused, date: self.environment.date())
    }

    private func followRedirection(of response: HTTPResponse, _ call: WireCall) async throws(ErrandError) -> Bool {
        let policy = self.redirects
        guard policy.kind != .never else { return false }
        var trail = call.trail ?? RedirectTrail(policy, secrets: self.environment.secretHeaders)
        guard let redirection = try trail.redirection(of: call.request, sentAs: call.sent, by: response.head)
        else { return false }
        switch await policy.decision(about: redirection) {
        case .stop: return false
        case .follow: call.follow(response, trail, to: try trail.next(after: redirection, from: call.request))
        case .send(let changed):
            let next = try trail.next(after: redirection, from: call.request, changed: changed)
            call.follow(response, trail, to: next)
        }
        self.lifeline.note(call.request.url)
        return true
    }
}

// MARK: - Credentials that are kept

extension RequestRun {
    /// Tells accessories, if there are any, what is wrong with the place where a credential is kept.
    @inline(never)
    private func notify(of keeper: any CredentialKeeper) {
        guard let activity = self.activity, let notice = keeper.takeNotice() else { return }
        self.hooks.observe(.notice(notice), of: activity)
    }

    /// Waits, without a slot, until what is kept for a call can be sent.
    @inline(never)
    private func prepareCredential(for call: WireCall, in scope: any StopScope) async throws(ErrandError) {
        guard let refresher = self.environment.refresher,
            let place = self.environment.keptPlace(
                of: call.request, under: self.terms),
            !refresher.isReady(at: place, for: call.request.url, self.environment.date())
        else { return }
        let context = self.context(of: call, nil, refused: nil)
        // A body that cannot be sent again waits: a server may take the next one only.
        if call.request.body.isRepeatable, refresher.renewsAhead(at: place, context) { return }
        let deadline = self.setAuthenticationDeadline()
        defer { deadline?.clear() }
        // An interceptor's call runs in the task of that, which is cancelled with the request.
        guard self.exchanges.intercepted == nil, let owner = self.owner else {
            return try await refresher.prepare(at: place, context)
        }
        try await owner.inCancellableTask(of: scope, immediately: false) { _ throws(ErrandError) in
            try await refresher.prepare(at: place, context)
        }
    }

    /// Tells whether something else is kept now than what a server has refused; asks for that.
    private func renewCredential(
        of call: WireCall, _ response: HTTPResponse, _ refresher: CredentialRefresher, _ keeper: any CredentialKeeper
    ) async throws(ErrandError) -> Bool {
        guard let kept = call.kept, self.mayAskAgain else { return false }
        self.exchanges.challenges += 1
        let context = self.context(of: call, response, refused: kept.credential.key)
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
    /// Whether a response with this status may lead to another exchange: a quick look for the many that do not.
    var mayNeedFollowUp: Bool { 300...401 ~= self.code && self != .notModified }
}
