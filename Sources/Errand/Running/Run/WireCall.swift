/// A wire call: a request, and the exchanges that follow from its responses.
///
/// The last interceptor's `next` creates one each time it is called; a request without interceptors has one. It is
/// confined to the task that performs it.
final class WireCall {
    /// The request to send, as changed by redirections and challenges.
    private(set) var request: HTTPRequest
    /// The request as last sent, if cookies or a credential were added.
    private var complete: CompleteRequest?
    /// The check that the request is sent with the identity in the cache key; `nil` if no response is stored.
    let identity: SentIdentity?
    /// The attempt number of its last exchange.
    var attempt = 0
    /// The lease of the last response's body, while it is being received and the response is held.
    weak var lease: BodyLease?
    /// The state of redirections and challenges, if there were any.
    private var followUpState: FollowUpState?

    private final class FollowUpState {
        /// The redirections followed so far; `nil` before the first one.
        var trail: RedirectTrail?
        /// The redirection that the next exchange follows; `nil` if it follows none.
        var arrivingFrom: HTTPResponse?
        /// The last answer to a challenge, and the key under which it is cached.
        var answer: (value: String, place: CredentialRefresher.CredentialKey)?
    }

    init(_ request: HTTPRequest, for identity: SentIdentity?) {
        self.request = request
        self.identity = identity
    }

    /// The step after a response.
    enum FollowUp: Sendable {
        /// Send the request again with the answer to a challenge, cached under the given key.
        case answer(String, CredentialRefresher.CredentialKey)
        /// Send the request again with the credential that the authenticator holds now.
        case again
        /// Send a request to the target of a redirection.
        case redirection(RedirectTrail, to: HTTPRequest)
    }

    // MARK: - State

    /// The request as last sent, with the cookies and credentials added to each exchange.
    var sent: HTTPRequest { self.complete?.request ?? self.request }

    /// The request as caches distinguish it.
    var identified: HTTPRequest {
        var request = self.sent
        request.setAuthorization(self.complete?.kept?.credential.identity)
        return request
    }

    /// The redirection that the next exchange follows.
    var arrivingFrom: HTTPResponse? { self.followUpState?.arrivingFrom }

    /// The number of redirections followed.
    var redirects: Int { self.followUpState?.trail?.hops ?? 0 }

    /// The request that was sent last, for errors and stages.
    var shown: RequestRun.Sent {
        RequestRun.Sent(request: self.sent, redirected: self.followUpState?.trail == nil ? nil : self.request)
    }

    /// The current state of the call, for deciding about a follow-up.
    var state: State {
        State(
            request: self.request, sent: self.sent, kept: self.complete?.kept, trail: self.followUpState?.trail,
            answer: self.followUpState?.answer)
    }

    /// The state of a call on which follow-ups are decided.
    struct State: Sendable {
        let request: HTTPRequest
        let sent: HTTPRequest
        /// The credential of the keeper that was sent with it; `nil` if the keeper did not apply.
        let kept: CompleteRequest.Kept?
        let trail: RedirectTrail?
        let answer: (value: String, place: CredentialRefresher.CredentialKey)?

        /// The key under which the refused credential is cached; `nil` if it is not a cached one.
        func answered(_ refused: String?) -> CredentialRefresher.CredentialKey? {
            guard let answer, answer.value == refused, answer.place.origin == self.sent.url.origin else { return nil }
            return answer.place
        }
    }

    /// The origin of the last response.
    var origin: HTTPResponse.Origin {
        HTTPResponse.Origin(request: self.request, url: self.sent.url, redirects: self.redirects, source: .network)
    }

    // MARK: - Follow-ups

    /// Records the request to be sent.
    ///
    /// `nil` stands for the unchanged request.
    ///
    /// - Throws: ``ErrandError`` if redirections form a loop.
    func willSend(_ complete: CompleteRequest?) throws(ErrandError) {
        self.complete = complete
        guard let followUpState, followUpState.arrivingFrom != nil else { return }
        try followUpState.trail?.arrive(with: self.sent)
        followUpState.arrivingFrom = nil
    }

    /// Continues after a response, whose body is ended to release its slot.
    func follow(_ response: HTTPResponse, by followUp: FollowUp) {
        self.lease?.end()
        switch followUp {
        case .again: break
        case .answer(let value, let place):
            self.makeFollowUpState().answer = (value, place)
            self.request.headers[HTTPField.Name.authorization] = value
        case .redirection(let trail, let next):
            let followUpState = self.makeFollowUpState()
            followUpState.trail = trail
            followUpState.arrivingFrom = response
            self.request = next
        }
    }

    private func makeFollowUpState() -> FollowUpState {
        let followUpState = self.followUpState ?? FollowUpState()
        self.followUpState = followUpState
        return followUpState
    }
}
