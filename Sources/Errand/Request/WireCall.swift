/// One call of the wire: a request, and the exchanges that its responses lead to.
///
/// The last interceptor's `next` makes one each time it is called; a request without interceptors has one.
final class WireCall {
    /// What is to be sent: what was asked for, or what redirections and challenges have made of it.
    var request: HTTPRequest
    /// The same as it went out last, with the cookies and credentials that are added to each exchange.
    var sent: HTTPRequest
    /// What holds the body of the last response, if it is still on its way and someone has that response.
    weak var lease: BodyLease?
    /// Where redirections have led so far; nothing before the first one.
    private(set) var trail: RedirectTrail?
    /// The redirection that the next exchange follows; nothing when it follows none.
    private(set) var arrivingFrom: HTTPResponse?
    /// The last answer to a challenge, and what it is remembered by.
    private var answer: (value: String, place: CredentialRefresher.Place)?

    init(_ request: HTTPRequest) {
        self.request = request
        self.sent = request
    }

    /// The request, if it is not the one that was asked for any more.
    var redirected: HTTPRequest? { self.trail == nil ? nil : self.request }

    /// How many redirections were followed.
    var redirects: Int { self.trail?.hops ?? 0 }

    /// Nobody reads the last response: ends its body, and with it its slot.
    func endBody() {
        self.lease?.end()
    }

    /// Where its last response came from.
    var origin: HTTPResponse.Origin {
        HTTPResponse.Origin(request: self.request, url: self.sent.url, redirects: self.redirects, source: .network)
    }

    /// What an answer that was refused is remembered by; nothing when what was refused is none.
    func answered(_ refused: String?) -> CredentialRefresher.Place? {
        guard let answer, answer.value == refused, answer.place.origin == self.sent.url.origin else { return nil }
        return answer.place
    }

    /// Sends on with the answer to a challenge.
    func answer(_ value: String, at place: CredentialRefresher.Place) {
        self.answer = (value, place)
        self.request.headers[HTTPFieldName.authorization] = value
    }

    /// Goes where a redirection leads.
    func follow(_ response: HTTPResponse, _ trail: RedirectTrail, to next: HTTPRequest) {
        self.trail = trail
        self.request = next
        self.arrivingFrom = response
    }

    /// Takes note of what is about to be sent.
    ///
    /// - Throws: ``ErrandError`` when redirections have led in a circle.
    func willSend(_ request: HTTPRequest) throws(ErrandError) {
        self.sent = request
        guard self.arrivingFrom != nil else { return }
        try self.trail?.arrive(with: request)
        self.arrivingFrom = nil
    }
}
