/// One call of the wire: a request, and the exchanges that its responses lead to.
///
/// The last interceptor's `next` makes one each time it is called; a request without interceptors has one.
final class WireCall {
    /// What is to be sent: what was asked for, or what redirections and challenges have made of it.
    private(set) var request: HTTPRequest
    /// The same as it went out last, where cookies or a credential were added.
    private var complete: CompleteRequest?
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

    init(_ request: HTTPRequest) {
        self.request = request
    }

    // MARK: - Looking

    /// The request as it went out last, with the cookies and credentials that are added to each exchange.
    var sent: HTTPRequest { self.complete?.request ?? self.request }

    /// What went out with it of what the authenticator keeps; `nil` where that has no part in it.
    var kept: CompleteRequest.Kept? { self.complete?.kept }

    /// The same request as a cache tells it from those of others.
    var identified: HTTPRequest {
        var request = self.sent
        request.setAuthorization(self.kept?.credential.identity)
        return request
    }

    /// Whether what goes out is in memory.
    var isWhollyInMemory: Bool {
        switch self.request.body {
        case .none, .bytes: true
        case .file, .stream: false
        }
    }

    /// Where redirections have led so far; `nil` before the first one.
    var trail: RedirectTrail? { self.detour?.trail }

    /// The redirection that the next exchange follows.
    var arrivingFrom: HTTPResponse? { self.detour?.arrivingFrom }

    /// The request, if it is not the one that was asked for any more.
    var redirected: HTTPRequest? { self.trail == nil ? nil : self.request }

    /// How many redirections were followed.
    var redirects: Int { self.detour?.trail?.hops ?? 0 }

    /// Where its last response came from.
    var origin: HTTPResponse.Origin {
        HTTPResponse.Origin(request: self.request, url: self.sent.url, redirects: self.redirects, source: .network)
    }

    /// What a response that was refused is remembered by; `nil` when what was refused is none.
    func answered(_ refused: String?) -> CredentialRefresher.Place? {
        guard let answer = self.detour?.answer, answer.value == refused, answer.place.origin == self.sent.url.origin
        else { return nil }
        return answer.place
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

    /// Nobody reads the last response: ends its body, and with it its slot.
    func endBody() {
        self.lease?.end()
    }

    /// Sends on with the answer to a challenge.
    func answer(_ value: String, at place: CredentialRefresher.Place) {
        self.needDetour().answer = (value, place)
        self.request.headers[HTTPField.Name.authorization] = value
    }

    /// Goes where a redirection leads.
    func follow(_ response: HTTPResponse, _ trail: RedirectTrail, to next: HTTPRequest) {
        let detour = self.needDetour()
        detour.trail = trail
        detour.arrivingFrom = response
        self.request = next
    }

    private func needDetour() -> Detour {
        let detour = self.detour ?? Detour()
        self.detour = detour
        return detour
    }
}
