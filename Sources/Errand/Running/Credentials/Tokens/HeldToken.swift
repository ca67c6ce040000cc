internal import struct Foundation.Date

/// The token that an authenticator has, or that it has none; a value, told the time.
struct HeldToken: Sendable {
    let token: OAuthToken?
    /// The value of `Authorization` that it makes.
    let value: String?
    /// How often everything had been forgotten when it came.
    let generation: Int
    /// Whether there is no use in asking for one before the user has logged in.
    var isOver = false
    /// Whether it was refused, and nobody could ask for another one then.
    var isRefused = false
    /// When it is over, and from when on another one is asked for; `nil` before it was looked at.
    private var life: (renewal: Date, end: Date)?
    /// Whether it was got just now, and not stored some time ago.
    private let isFresh: Bool

    /// - Throws: ``ErrandError`` when it cannot be sent.
    init(_ token: OAuthToken?, generation: Int, isFresh: Bool) throws(ErrandError) {
        self.token = token
        self.value = if let token { try HTTPCredential.bearer(token.accessToken).fieldValue() } else { nil }
        self.generation = generation
        self.isFresh = isFresh
    }

    /// That there is none.
    init(generation: Int, isOver: Bool) {
        self.token = nil
        self.value = nil
        self.generation = generation
        self.isOver = isOver
        self.isFresh = false
    }

    /// What requests carry at a moment.
    ///
    /// - Parameters:
    ///   - date: The moment.
    ///   - ahead: How long before its end it is renewed, but not in the first half of the time that it was seen to have:
    ///     that would be for each request.
    /// - Returns: What that is.
    mutating func kept(at date: Date, renewingAhead ahead: Duration) -> KeptCredential {
        guard let token, let value else { return KeptCredential(need: self.isOver ? .no : .now) }
        return KeptCredential(
            key: value, identity: token.user.map { "user \($0)" } ?? value, form: .value(value),
            need: self.isRefused ? .now : self.need(token, at: date, ahead))
    }

    private mutating func need(_ token: OAuthToken, at date: Date, _ ahead: Duration) -> KeptCredential.Need {
        guard let end = token.expiresAt else { return .no }
        let life: (renewal: Date, end: Date)
        if let known = self.life {
            life = known
        } else {
            let left = end.timeIntervalSince(date)
            // One that is over the moment it comes is sent until it is refused.
            life =
                left <= 0 && self.isFresh
                ? (.distantFuture, .distantFuture) : (end.addingTimeInterval(-min(ahead / .seconds(1), left / 2)), end)
            self.life = life
        }
        return date >= life.end ? .now : date >= life.renewal ? .soon : .no
    }
}
