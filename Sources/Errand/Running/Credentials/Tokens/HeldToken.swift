internal import struct Foundation.Date

/// The token held by an authenticator, or the fact that there is none.
///
/// A value type that takes the time as a parameter.
struct HeldToken: Sendable {
    let token: OAuthToken?
    /// The value of the `Authorization` field.
    let value: String?
    /// The generation in which the token was obtained.
    let generation: Int
    /// Set if no token can be obtained until the user logs in.
    var isOver = false
    /// Set if the token was refused by a request that could not wait for another one.
    var isRefused = false
    /// The start of the renewal period and the expiration; `nil` until first computed.
    private var life: (renewal: Date, end: Date)?
    /// True if the token was just obtained, false if it was loaded from the store.
    private let isFresh: Bool

    /// - Throws: ``ErrandError`` if the token cannot be sent.
    init(_ token: OAuthToken?, generation: Int, isFresh: Bool) throws(ErrandError) {
        self.token = token
        self.value = if let token { try HTTPCredential.bearer(token.accessToken).fieldValue() } else { nil }
        self.generation = generation
        self.isFresh = isFresh
    }

    /// Creates the state without a token.
    init(generation: Int, isOver: Bool) {
        self.token = nil
        self.value = nil
        self.generation = generation
        self.isOver = isOver
        self.isFresh = false
    }

    /// Returns the credential at the given time.
    ///
    /// - Parameters:
    ///   - date: The current time.
    ///   - ahead: The time before expiration at which the token is renewed, at most half of its remaining life when
    ///     first seen: otherwise a short-lived token would be renewed for every request.
    /// - Returns: The credential.
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
            // A new token that is already expired is sent until it is refused.
            life =
                left <= 0 && self.isFresh
                ? (.distantFuture, .distantFuture) : (end.addingTimeInterval(-min(ahead / .seconds(1), left / 2)), end)
            self.life = life
        }
        return date >= life.end ? .now : date >= life.renewal ? .soon : .no
    }
}
