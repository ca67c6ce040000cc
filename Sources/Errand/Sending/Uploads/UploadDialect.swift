/// A protocol by which an upload is resumed.
enum UploadDialect: Sendable, Hashable, Codable {
    /// That of *draft-ietf-httpbis-resumable-upload*, in one of its interop versions.
    case draft(version: Int)
    /// tus 1.0.0.
    case tus

    /// The interop versions of the draft that are known: those of its revisions 01 to 11.
    static let draftVersions = 3...8

    /// Whether it is a version that is known.
    var isKnown: Bool {
        if case .draft(let version) = self { Self.draftVersions.contains(version) } else { true }
    }

    /// Whether the other one is of the same protocol, in whatever version.
    func isKin(of other: UploadDialect) -> Bool {
        switch (self, other) {
        case (.draft, .draft), (.tus, .tus): true
        case (.draft, .tus), (.tus, .draft): false
        }
    }

    /// The media type of content that goes on with an upload; `nil` where none is said.
    var appendedType: String? {
        switch self {
        case .draft(let version): version >= 6 ? "application/partial-upload" : nil
        case .tus: "application/offset+octet-stream"
        }
    }

    /// Names the protocol in a request.
    func identify(_ request: inout HTTPRequest) {
        switch self {
        case .draft(let version): request.headers["Upload-Draft-Interop-Version"] = "\(version)"
        case .tus: request.headers["Tus-Resumable"] = "1.0.0"
        }
    }

    /// Says whether the upload is complete with the content of a request; tus counts bytes instead.
    func mark(_ request: inout HTTPRequest, isLast: Bool) {
        switch self {
        case .draft(version: 3): request.headers["Upload-Incomplete"] = isLast ? "?0" : "?1"
        case .draft: request.headers["Upload-Complete"] = isLast ? "?1" : "?0"
        case .tus: break
        }
    }
}
