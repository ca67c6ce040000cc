/// A protocol for resumable uploads.
enum UploadDialect: Sendable, Hashable, Codable {
    /// The protocol of *draft-ietf-httpbis-resumable-upload*, in one of its interop versions.
    case draft(version: Int)
    /// tus 1.0.0.
    case tus

    /// The supported interop versions of the draft: those of its revisions 01 to 11.
    static let draftVersions = 3...8

    /// True for a supported version.
    var isKnown: Bool {
        if case .draft(let version) = self { Self.draftVersions.contains(version) } else { true }
    }

    /// Returns true if the other one is the same protocol, in any version.
    func isKin(of other: UploadDialect) -> Bool {
        switch (self, other) {
        case (.draft, .draft), (.tus, .tus): true
        case (.draft, .tus), (.tus, .draft): false
        }
    }

    /// The media type of appended content; `nil` if none is sent.
    var appendedType: String? {
        switch self {
        case .draft(let version): version >= 6 ? "application/partial-upload" : nil
        case .tus: "application/offset+octet-stream"
        }
    }

    /// Adds the protocol's version to a request.
    func identify(_ request: inout HTTPRequest) {
        switch self {
        case .draft(let version): request.headers["Upload-Draft-Interop-Version"] = "\(version)"
        case .tus: request.headers["Tus-Resumable"] = "1.0.0"
        }
    }

    /// Marks the content of a request as the last or not the last of the upload; tus counts bytes instead.
    func mark(_ request: inout HTTPRequest, isLast: Bool) {
        switch self {
        case .draft(version: 3): request.headers["Upload-Incomplete"] = isLast ? "?0" : "?1"
        case .draft: request.headers["Upload-Complete"] = isLast ? "?1" : "?0"
        case .tus: break
        }
    }
}
