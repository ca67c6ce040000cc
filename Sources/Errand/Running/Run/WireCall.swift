/// One call of the wire: a request, and the exchanges that its responses lead to.
///
/// The last interceptor's `next` makes one each time it is called; a request without interceptors has one. It belongs to
/// the task that performs it.
final class WireCall {
    /// What is to be sent: what was asked for, or what redirections and challenges have made of it.
    private(set) var request: HTTPRequest
    /// The same as it went out last, where cookies or a credential were added.
    private var complete: CompleteRequest?
    /// What finds out whether it goes out as the one whom a cache knows; `nil` where nothing is stored.
    let identity: SentIdentity?
    /// The number of its last exchange among those of the request.
    var attempt = 0
    /// What holds the body of the last response, if it is still on its way and someone has that response.
    weak var lease: BodyLease?
    /// What its responses have led to, if they have.
    private var detour: Detour?

    private final class Detour {
        /// Where redirections have led so far; `nil` before the first one.
        var trail: RedirectTrail?
        /// The redirection that the next exchange follows; `nil` when it follows none.
        var arrivingFrom: HTTPResponse?
        /// The last answer to a challenge, and what it is remembered by.
        var answer: (value: String, place: CredentialRefresher.Place)?
    }

    init(_ request: HTTPRequest, for identity: SentIdentity?) {
        self.request = request
        self.identity = identity
    }

    /// The step after a response.
    enum FollowUp: Sendable {
        /// The same, with the answer to a challenge and what that is remembered by.
        case answer(String, CredentialRefresher.Place)
        /// The same, with what the authenticator keeps now.
        case again
        /// The target of a redirection.
        case redirection(RedirectTrail, to: HTTPRequest)
    }

    // MARK: - Looking

    /// The request as it went out last, with the cookies and credentials that are added to each exchange.
    var sent: HTTPRequest { self.complete?.request ?? self.request }

    /// The same request as a cache tells it from those of others.
    var identified: HTTPRequest {
        var request = self.sent
        request.setAuthorization(self.complete?.kept?.credential.identity)
        return request
    }

    /// The redirection that the next exchange follows.
    var arrivingFrom: HTTPResponse? { self.detour?.arrivingFrom }

    /// How many redirections were followed.
    var redirects: Int { self.detour?.trail?.hops ?? 0 }

    /// The request that went out last, for those who look from outside.
    var shown: RequestRun.Sent {
        RequestRun.Sent(request: self.sent, redirected: self.detour?.trail == nil ? nil : self.request)
    }

    /// The state of the call, where its response may lead to more.
    var state: State {
        State(
            request: self.request, sent: self.sent, kept: self.complete?.kept, trail: self.detour?.trail,
            answer: self.detour?.answer)
    }

    /// The state of a call, for those who decide about more.
    struct State: Sendable {
        let request: HTTPRequest
        let sent: HTTPRequest
        /// What went out with it of what the authenticator keeps; `nil` where that has no part in it.
        let kept: CompleteRequest.Kept?
        let trail: RedirectTrail?
        let answer: (value: String, place: CredentialRefresher.Place)?

        /// What a response that was refused is remembered by; `nil` when what was refused is none.
        func answered(_ refused: String?) -> CredentialRefresher.Place? {
            guard let answer, answer.value == refused, answer.place.origin == self.sent.url.origin else { return nil }
            return answer.place
        }
    }

    /// Where its last response came from.
    var origin: HTTPResponse.Origin {
        HTTPResponse.Origin(request: self.request, url: self.sent.url, redirects: self.redirects, source: .network)
    }

    // MARK: - Going on

    /// Takes note of what is about to be sent; `nil` where that is the request as it is.
    ///
    /// - Throws: ``ErrandError`` when redirections have led in a circle.
    func willSend(_ complete: CompleteRequest?) throws(ErrandError) {
        self.complete = complete
        guard let detour, detour.arrivingFrom != nil else { return }
        try detour.trail?.arrive(with: self.sent)
        detour.arrivingFrom = nil
    }

    /// Goes on after a response: its body is ended, and with it its slot.
    func follow(_ response: HTTPResponse, by followUp: FollowUp) {
        self.lease?.end()
        switch followUp {
        case .again: break
        case .answer(let value, let place):
            self.needDetour().answer = (value, place)
            self.request.headers[HTTPField.Name.authorization] = value
        case .redirection(let trail, let next):
            let detour = self.needDetour()
            detour.trail = trail
            detour.arrivingFrom = response
            self.request = next
        }
    }

    private func needDetour() -> Detour {
        let detour = self.detour ?? Detour()
        self.detour = detour
        return detour
    }
}
