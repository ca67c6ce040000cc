/// The rules for storing responses and their fields (RFC 9111 §3, for a private cache).
enum HTTPStorability {
    /// The statuses with known caching rules: those of RFC 9110 §15 that are complete responses.
    private static let understood: Set<Int> = Set(200...205).union(300...303).union([305, 307, 308])
        .union(400...417).union([421, 422, 426]).union(500...505)
    /// The statuses that must not be stored according to RFC 6585.
    private static let unstorable: Set<Int> = [428, 429, 431, 511]
    /// Request fields that make a response specific to the request.
    private static let selecting: Set<String> = [
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
    ]

    /// Returns the reason why a response must not be stored or would be useless, or `nil` if it is to be stored.
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - request: The request.
    ///   - keepsForErrors: True if the app wants to use the response when the network fails.
    /// - Returns: The reason.
    static func refusal(
        of head: HTTPResponse.Head, to request: HTTPRequest, keepsForErrors: Bool = false
    ) -> CacheReason? {
        let (control, asked, code) = (CacheControl(head.headers), CacheControl(request.headers), head.status.code)
        guard request.method == .get || request.method == .query else {
            return CacheReason("responses to \(request.method) are not stored", section: "3")
        }
        guard !request.namesAnotherMethod else {
            return CacheReason("a field of the request names another method", section: "3")
        }
        if let reason = request.uncachedContent { return reason }
        guard (200..<600).contains(code), code != 206, code != 304 else {
            return CacheReason("a response with the status \(code) is not complete", section: "3")
        }
        if Self.unstorable.contains(code) { return CacheReason("the status \(code) forbids storing", "RFC 6585 §7.2") }
        if asked.contains("no-store") { return CacheReason("the request says no-store", section: "5.2.1.5") }
        if control.contains("must-understand") {
            guard Self.understood.contains(code) else {
                return CacheReason("must-understand with the unknown status \(code)", section: "5.2.2.3")
            }
        } else if control.contains("no-store") {
            return CacheReason("the response says no-store", section: "5.2.2.5")
        }
        if HTTPVary(head.headers).isAny {
            return CacheReason("Vary contains * or too many names, and matches no other request", section: "4.1")
        }
        if code != 200, request.headers.contains(where: { Self.selecting.contains($0.name.asciiLowercased()) }) {
            return CacheReason("it is specific to the range or the condition of the request", section: "3")
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
        else { return CacheReason("no directive allows storing the status \(head.status.code)", section: "3") }
        let canBeValidated =
            EntityTag.tag(of: head.headers) != nil || head.headers.contains(HTTPField.Name.lastModified)
        guard canBeValidated || !control.isNoCache && (isExplicit || keepsForErrors) else {
            return CacheReason("it could be neither fresh nor validated", section: "4")
        }
        return nil
    }

    // MARK: - Fields

    /// Fields that concern a connection or a proxy, not the response (RFC 9111 §3.1, RFC 9110 §7.6.1), and cookies,
    /// which are meant for one request only.
    private static let unstored: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade",
    ]
    /// Fields that describe the content of a stored response, and are not changed by a response without content (RFC
    /// 9111 §3.2).
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

    /// The fields of a stored response, updated by a newer response without content (RFC 9111 §3.2).
    ///
    /// Each new field replaces those of its name. The entity tag stays if the new one is its weak or strong twin,
    /// because it identifies the stored bytes.
    static func updatedFields(_ stored: HTTPFields, with fields: HTTPFields) -> HTTPFields {
        var updated = stored
        // These fields described the previous message.
        for name in [HTTPField.Name.age, HTTPField.Name.date] { updated.removeAll(named: name) }
        var newer = HTTPFields(Self.storedFields(fields).filter { !Self.content.contains($0.name.asciiLowercased()) })
        if EntityTag.areTwins(EntityTag.tag(of: stored), EntityTag.tag(of: newer)) {
            newer.removeAll(named: HTTPField.Name.etag)
        }
        updated.merge(newer)
        return updated
    }
}
