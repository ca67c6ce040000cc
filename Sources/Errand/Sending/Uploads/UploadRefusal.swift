/// A response that may refuse the offer to resume an upload, rather than the request itself.
///
/// The draft requires servers to ignore versions that they do not know. Published servers reject the request instead,
/// with 400, or with 412 although the request has no condition. Other statuses are responses to the request.
struct UploadRefusal: Sendable, Hashable {
    /// The newest version that all published servers of the draft support.
    static let commonVersion = 6

    private static let conditions = [
        "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
    ]

    /// The version that the server names, if it is supported.
    private let version: Int?

    /// Returns `nil` for a response to the request itself.
    ///
    /// - Parameters:
    ///   - head: The response to the request with the offer.
    ///   - version: The version that was offered.
    ///   - fields: The other fields of the request.
    init?(_ head: HTTPResponse.Head, ofOffer version: Int, with fields: HTTPFields) {
        let named = head.uploadVersion
        let isOfOtherProtocol = named.map { $0 != version } ?? (head.headers["Tus-Resumable"] != nil)
        switch head.status.code {
        // These statuses name no specific reason (RFC 9110 §15.5.1, §15.6.2).
        case 400, 501: break
        // These statuses are about conditions and expectations, which the request would need to have (§13.1, §10.1.1).
        case 412 where isOfOtherProtocol || !Self.conditions.contains(where: fields.contains): break
        case 417 where isOfOtherProtocol || fields[HTTPField.Name.expect] == nil: break
        default: return nil
        }
        self.version = named.flatMap { UploadDialect.draftVersions.contains($0) ? $0 : nil }
    }

    /// Returns the version to offer next: the one that the server names, or the most widely supported; `nil` for none.
    func next(after version: Int) -> Int? {
        let next = self.version ?? Self.commonVersion
        return next == version || self.version == nil && next > version ? nil : next
    }
}
