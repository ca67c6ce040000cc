/// Which responses may be stored, and which of their fields (RFC 9111 §3, for a private cache).
enum HTTPStorability {
    /// Statuses whose rules for caches are known: those of RFC 9110 §15 that are responses by themselves.
    private static let understood: Set<Int> = Set(200...205).union(300...303).union([305, 307, 308])
        .union(400...417).union([421, 422, 426]).union(500...505)
    /// Those of which RFC 6585 says that they must not be stored.
    private static let unstorable: Set<Int> = [428, 429, 431, 511]
    /// Fields of a request that make its response one to it alone.
    private static let selecting: Set<String> = [
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
    ]

    /// Why a response must not be stored, or why that would be of no use; `nil` if it is to be.
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - request: What it answers.
    ///   - keepsForErrors: Whether the app wants to have it where the network fails.
    /// - Returns: The reason.
    static func refusal(
        of head: HTTPResponse.Head, to request: HTTPRequest, keepsForErrors: Bool = false
    ) -> CacheReason? {
        let (control, asked, code) = (CacheControl(head.headers), CacheControl(request.headers), head.status.code)
        guard request.method == .get || request.method == .query else {
            return CacheReason("a response to \(request.method) is not stored", section: "3")
        }
        guard !request.namesAnotherMethod else {
            return CacheReason("a field of the request names another method", section: "3")
        }
        if let reason = request.uncachedContent { return reason }
        guard (200..<600).contains(code), code != 206, code != 304 else {
            return CacheReason("a response with the status \(code) is no whole response", section: "3")
        }
        if Self.unstorable.contains(code) { return CacheReason("the status \(code) forbids it", "RFC 6585 §7.2") }
        if asked.contains("no-store") { return CacheReason("the request says no-store", section: "5.2.1.5") }
        if control.contains("must-understand") {
            guard Self.understood.contains(code) else {
                return CacheReason("must-understand, and the status \(code) is not known", section: "5.2.2.3")
            }
        } else if control.contains("no-store") {
            return CacheReason("the response says no-store", section: "5.2.2.5")
        }
        if HTTPVary(head.headers).isAny {
            return CacheReason("Vary has a * or too many names, and so matches no other request", section: "4.1")
        }
        if code != 200, request.headers.contains(where: { Self.selecting.contains($0.name.asciiLowercased()) }) {
            return CacheReason("it answers the range or the condition of the request", section: "3")
        }
        return Self.refusalAsUseless(head, control, keepsForErrors: keepsForErrors)
    }

    private static func refusalAsUseless(
        _ head: HTTPResponse.Head, _ control: CacheControl, keepsForErrors: Bool
    ) -> CacheReason? {
        let isExplicit = control.contains("max-age") || head.headers.contains(HTTPField.Name.expires)
        guard
            isExplicit || control.contains("public") || control.contains("private")
                || HTTPFreshness.heuristicStatuses.contains(head.status.code)
        else { return CacheReason("nothing says that the status \(head.status.code) may be stored", section: "3") }
        let canBeValidated =
            EntityTag.tag(of: head.headers) != nil || head.headers.contains(HTTPField.Name.lastModified)
        guard canBeValidated || !control.isNoCache && (isExplicit || keepsForErrors) else {
            return CacheReason("it could be neither fresh nor validated", section: "4")
        }
        return nil
    }

    // MARK: - Fields

    /// Fields that are about a connection or a proxy, and not about the response (RFC 9111 §3.1, RFC 9110 §7.6.1);
    /// cookies are for the one who asked, once.
    private static let unstored: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade",
    ]
    /// Fields of a stored response that say how its content is, which a response without content does not change
    /// (RFC 9111 §3.2).
    private static let content: Set<String> = ["content-encoding", "content-length", "content-range"]

    /// The fields of a response that are stored.
    static func storedFields(_ fields: HTTPFields) -> HTTPFields {
        let names = fields.names(listedIn: HTTPField.Name.connection) + CacheControl(fields).noCacheFields
        let listed = Set(names.lazy.map { ExactText($0) })
        return HTTPFields(
            fields.filter { field in
                let name = field.name.asciiLowercased()
                return !Self.unstored.contains(name) && !listed.contains(ExactText(name))
            })
    }

    /// The fields of a stored response after a newer one without content (RFC 9111 §3.2): each that came replaces those
    /// of its name.
    ///
    /// The tag stays where the new one is its weak or strong twin: it says which bytes are stored.
    static func updatedFields(_ stored: HTTPFields, with fields: HTTPFields) -> HTTPFields {
        var updated = stored
        // They were about the message that came before.
        for name in [HTTPField.Name.age, HTTPField.Name.date] { updated.removeAll(named: name) }
        var newer = HTTPFields(Self.storedFields(fields).filter { !Self.content.contains($0.name.asciiLowercased()) })
        if EntityTag.areTwins(EntityTag.tag(of: stored), EntityTag.tag(of: newer)) {
            newer.removeAll(named: HTTPField.Name.etag)
        }
        updated.merge(newer)
        return updated
    }
}
