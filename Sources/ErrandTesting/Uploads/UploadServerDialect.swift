internal import Errand

/// The protocol of a request to an upload server.
enum UploadServerDialect: Sendable, Hashable {
    /// A request without resumption.
    case plain
    /// A version of the draft.
    case draft(version: Int)
    case tus
    /// A request that the server refuses.
    case refused(Refusal)

    /// A refusal of an unsupported version.
    enum Refusal: Sendable, Hashable {
        /// As swift-nio-extras does: with its newest version.
        case namingVersion
        /// As tusd does, which treats the request as one of tus.
        case asTus

        var reply: LoopbackReply {
            switch self {
            case .namingVersion: .status(400, headers: ["Upload-Draft-Interop-Version": "6"])
            case .asTus:
                .text(
                    "ERR_UNSUPPORTED_VERSION: missing, invalid or unsupported Tus-Resumable header\n", status: 412,
                    headers: ["Tus-Resumable": "1.0.0", "X-Content-Type-Options": "nosniff"])
            }
        }
    }

    /// Returns the response fields for whether an upload is complete.
    func fields(isComplete: Bool) -> LoopbackFields {
        switch self {
        case .draft(version: 3): ["Upload-Incomplete": isComplete ? "?0" : "?1"]
        case .draft: ["Upload-Complete": isComplete ? "?1" : "?0"]
        case .tus: ["Tus-Resumable": "1.0.0"]
        case .plain, .refused: [:]
        }
    }
}

extension ResumableUploadServer.Kind {
    /// Returns the protocol as which a server of this kind treats a request.
    func dialect(of request: LoopbackRequest) -> UploadServerDialect {
        let text = request.headers["Upload-Draft-Interop-Version"]
        switch self {
        case .draft(let version): return .draft(version: version)
        case .tus: return .tus
        case .swiftNIOExtras:
            guard let text else { return .plain }
            guard let version = Int(text), [3, 5, 6].contains(version) else { return .refused(.namingVersion) }
            let field = version == 3 ? "Upload-Incomplete" : "Upload-Complete"
            let isPlain = request.path == "/files" && request.headers[field] == nil
            return isPlain ? .plain : .draft(version: version)
        case .tusd:
            if let version = text.flatMap({ Int($0) }), 3...6 ~= version { return .draft(version: version) }
            let isOfTus = request.method == "HEAD" || request.headers["Tus-Resumable"] == "1.0.0"
            return isOfTus ? .tus : .refused(.asTus)
        }
    }

    /// Returns the response of the app behind the server, with the server's fields about the upload.
    func final(
        _ reply: LoopbackReply, _ dialect: UploadServerDialect, offset: Int, _ location: String?
    ) -> LoopbackReply {
        guard self == .swiftNIOExtras, case .draft(let version) = dialect else { return reply }
        var fields: LoopbackFields = ["Upload-Draft-Interop-Version": "\(version)", "Upload-Offset": "\(offset)"]
        if let location { fields.append("Location", location) }
        // The server confuses the fields of the versions.
        fields.append(version == 3 ? "Upload-Complete" : "Upload-Incomplete", version == 3 ? "?1" : "?0")
        var reply = reply
        reply.steps = reply.steps.map { step in
            guard case .message(var message) = step else { return step }
            message.headers.append(fields)
            return .message(message)
        }
        return reply
    }

    /// True if an upload is discarded once it is complete.
    var forgetsComplete: Bool { self == .swiftNIOExtras }

    /// The limits of an upload of the given length, if the server announces any.
    func limits(length: Int?) -> String? {
        guard self == .tusd else { return nil }
        return length.map { "min-size=0,max-size=\($0)" } ?? "min-size=0"
    }
}

extension LoopbackFields {
    /// Appends the fields of another list.
    mutating func append(_ other: LoopbackFields) {
        for line in other { self.append(line.name, line.value) }
    }
}
