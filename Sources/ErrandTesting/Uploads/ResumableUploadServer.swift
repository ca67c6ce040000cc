internal import Errand
internal import ErrandLocks

public import struct Foundation.Data

/// A server on this machine that takes uploads, loses connections on purpose, and lets uploads be resumed.
///
///     let server = try ResumableUploadServer(.draft(interopVersion: 8))
///     server.cut(after: 100_000, 50_000)
///     let text = try await client.upload(Post(server.url), from: file, options: .uploadResumption(.automatic))
///     #expect(server.uploads.first?.content == content)
///
/// It is strict: what a request must not say, or leaves out, is answered with an error. What it does can be replaced
/// request by request, so that it can be made to lie.
public final class ResumableUploadServer: Sendable {
    /// The protocol that it speaks.
    public enum Kind: Sendable, Hashable {
        /// The draft of the IETF; it offers this interop version, whatever a request asks for.
        case draft(interopVersion: Int)
        /// tus 1.0.0 with the extension `creation`, and with `creation-with-upload` if content comes with a creation.
        case tus
        /// The draft as swift-nio-extras 1 has it: interop versions 3, 5 and 6, as a request asks for.
        ///
        /// Another version is refused with 400, and with the newest one that it knows.
        case swiftNIOExtras
        /// The draft as tusd 2 has it when that is switched on: interop versions 3 to 6, as a request asks for; and tus.
        ///
        /// Any other request is taken for one of tus that lacks its version, and refused with 412.
        case tusd
    }

    /// An upload, as far as it has come.
    public struct Upload: Sendable, Hashable {
        /// The bytes that were taken.
        public fileprivate(set) var content = Data()
        /// The length that was announced, where it was.
        public fileprivate(set) var length: Int?
        /// Whether all has come.
        public fileprivate(set) var isComplete = false
        /// Whether it is forgotten: the server answers as if it had never been.
        public fileprivate(set) var isGone = false
        /// The fields of the request that began it.
        public let headers: LoopbackFields
    }

    private struct State {
        var uploads: [Upload] = []
        var requests: [LoopbackRequest] = []
        var cuts: [Int] = []
        var replies: [String: [LoopbackReply]] = [:]
        var announce: @Sendable (LoopbackFields) -> LoopbackFields? = { $0 }
        var final: LoopbackReply = .text("uploaded")
    }

    /// The server below it.
    public let server: LoopbackServer
    private let kind: Kind
    private let state = Locked(State())

    /// Opens a server on a free port.
    ///
    /// - Parameter kind: The protocol that it speaks.
    /// - Throws: `LoopbackError` when no socket could be opened.
    public init(_ kind: Kind = .draft(interopVersion: 8)) throws(LoopbackError) {
        self.kind = kind
        self.server = try LoopbackServer()
        for method in ["POST", "PUT", "PATCH"] {
            self.server.add(.early(method, "/files") { [weak self] in self?.begin($0) ?? .close })
        }
        self.server.add(.early("PATCH", "/uploads/*") { [weak self] in self?.append($0) ?? .close })
        self.server.route("HEAD", "/uploads/*") { [weak self] in self?.status($0) ?? .close }
    }

    deinit {
        self.server.stop()
    }

    /// The URL at which uploads begin.
    public var url: String { self.server.baseURL + "files" }

    /// The uploads that were begun, in their order.
    public var uploads: [Upload] { self.state.withLock { $0.uploads } }

    /// The heads of all requests, in their order, also of those that were cut; without their bodies.
    public var requests: [LoopbackRequest] { self.state.withLock { $0.requests } }

    // MARK: - What it does

    /// Cuts the connections of the next requests that bring content, each after so many bytes of it.
    public func cut(after counts: Int...) {
        self.cut(after: counts)
    }

    /// Cuts the connections of the next requests that bring content, each after so many bytes of it.
    public func cut(after counts: [Int]) {
        self.state.withLock { $0.cuts += counts }
    }

    /// Has the next request with a method answered in another way, once; others for the same method after that.
    public func answerNext(_ method: String, _ reply: LoopbackReply) {
        self.state.withLock { $0.replies[method, default: []].append(reply) }
    }

    /// Changes the fields of the interim responses that say where an upload is; with `nil` none is sent.
    public func announce(_ change: @escaping @Sendable (LoopbackFields) -> LoopbackFields?) {
        self.state.withLock { $0.announce = change }
    }

    /// Answers with something else than a text when an upload is complete; the draft only.
    public func answerWhenComplete(_ reply: LoopbackReply) {
        self.state.withLock { $0.final = reply }
    }

    /// Forgets all uploads: what comes for one of them is answered with 404.
    public func forgetUploads() {
        self.state.withLock { state in
            for index in state.uploads.indices { state.uploads[index].isGone = true }
        }
    }

    // MARK: - Requests

    /// Notes a request; returns what is to be answered in place of what the server would do.
    private func note(_ request: LoopbackRequest) -> LoopbackReply? {
        self.state.withLock { state in
            var head = request
            head.body = Data()
            state.requests.append(head)
            guard let replies = state.replies[request.method], let reply = replies.first else { return nil }
            state.replies[request.method] = Array(replies.dropFirst())
            return reply
        }
    }

    private func begin(_ request: LoopbackRequest) -> LoopbackReply {
        if let reply = self.note(request) { return reply }
        let dialect = self.kind.dialect(of: request)
        if let problem = Self.problem(of: request, dialect, isAppending: false) { return problem }
        let (index, cut) = self.state.withLock { state in
            var upload = Upload(headers: request.headers)
            upload.length = request.headers["Upload-Length"].flatMap { Int($0) }
            state.uploads.append(upload)
            return (state.uploads.count - 1, request.hasContent && !state.cuts.isEmpty ? state.cuts.removeFirst() : nil)
        }
        let location = "/uploads/\(index)"
        // A request of another kind is one without resumption.
        let isLast = dialect != .tus && (request.saysComplete || !request.isOfDraft)
        let receive = LoopbackReply.Step.receive(atMost: cut ?? .max) { [weak self] in
            self?.take($0, into: index, from: 0, isLast: isLast, answering: 201, location, dialect) ?? [.close]
        }
        return LoopbackReply(steps: [self.announcement(of: index, to: request, dialect), receive].compactMap(\.self))
    }

    /// The interim response that says where an upload is; `nil` to a request that does not ask for it.
    private func announcement(
        of index: Int, to request: LoopbackRequest, _ dialect: UploadServerDialect
    ) -> LoopbackReply.Step? {
        guard case .draft(let version) = dialect, request.isOfDraft else { return nil }
        var fields: LoopbackFields = [
            "Location": "/uploads/\(index)", "Upload-Draft-Interop-Version": "\(version)",
        ]
        let (announce, length) = self.state.withLock { ($0.announce, $0.uploads[index].length) }
        if let limits = self.kind.limits(length: length) { fields.append("Upload-Limit", limits) }
        return announce(fields).map { .message(LoopbackMessage(status: 104, headers: $0)) }
    }

    private func append(_ request: LoopbackRequest) -> LoopbackReply {
        if let reply = self.note(request) { return reply }
        guard let index = self.index(of: request) else { return .status(404) }
        let dialect = self.kind.dialect(of: request)
        if let problem = Self.problem(of: request, dialect, isAppending: true) { return problem }
        let (upload, cut) = self.state.withLock { state in
            (state.uploads[index], request.hasContent && !state.cuts.isEmpty ? state.cuts.removeFirst() : nil)
        }
        let offset = upload.content.count
        guard request.headers["Upload-Offset"] == "\(offset)" else {
            // It gives up the upload, too.
            if self.kind == .swiftNIOExtras { self.state.withLock { $0.uploads[index].isGone = true } }
            return .status(409, headers: ["Upload-Offset": "\(offset)"])
        }
        guard !upload.isComplete else { return .text("the upload is complete", status: 400) }
        let isLast = dialect != .tus && request.saysComplete
        return LoopbackReply(
            .receive(atMost: cut ?? .max) { [weak self] in
                self?.take($0, into: index, from: offset, isLast: isLast, answering: 204, nil, dialect) ?? [.close]
            })
    }

    private func status(_ request: LoopbackRequest) -> LoopbackReply {
        if let reply = self.note(request) { return reply }
        guard let index = self.index(of: request) else { return .status(404) }
        let upload = self.state.withLock { $0.uploads[index] }
        var headers: LoopbackFields = ["Upload-Offset": "\(upload.content.count)", "Cache-Control": "no-store"]
        if let length = upload.length { headers.append("Upload-Length", "\(length)") }
        let dialect = self.kind.dialect(of: request)
        if case .refused(let refusal) = dialect { return refusal.reply }
        headers.append(dialect.fields(isComplete: upload.isComplete))
        return .status(dialect == .tus ? 200 : 204, headers: headers)
    }

    /// Keeps what has come, and goes on as far as that is.
    private func take(
        _ content: LoopbackContent, into index: Int, from offset: Int, isLast: Bool, answering status: HTTPStatus,
        _ location: String?, _ dialect: UploadServerDialect
    ) -> [LoopbackReply.Step] {
        let (taken, final) = self.state.withLock { state -> (Upload?, LoopbackReply) in
            // Another request for the same upload may have come meanwhile: then this one is over, and completes nothing.
            guard state.uploads[index].content.count == offset else { return (nil, state.final) }
            state.uploads[index].content += content.bytes
            let count = state.uploads[index].content.count
            let isComplete = dialect == .tus ? count == state.uploads[index].length : content.isWhole && isLast
            state.uploads[index].isComplete = state.uploads[index].isComplete || isComplete
            if isComplete, self.kind.forgetsComplete { state.uploads[index].isGone = true }
            return (state.uploads[index], state.final)
        }
        guard content.isWhole, let upload = taken else { return [.hangUp] }
        // tusd has no response but its own.
        if dialect != .tus, self.kind != .tusd, upload.isComplete {
            return self.kind.final(final, dialect, offset: upload.content.count, location).steps
        }
        var headers: LoopbackFields = location.map { ["Location": $0] } ?? [:]
        headers.append("Upload-Offset", "\(upload.content.count)")
        if !upload.isComplete || dialect == .tus { headers.append(dialect.fields(isComplete: false)) }
        return [.message(LoopbackMessage(status: status.code, headers: headers))]
    }

    private func index(of request: LoopbackRequest) -> Int? {
        guard let index = request.path.split(separator: "/").last.flatMap({ Int($0) }) else { return nil }
        return self.state.withLock { state in
            state.uploads.indices.contains(index) && !state.uploads[index].isGone ? index : nil
        }
    }

    /// The answer to a request that is not as the protocol wants it.
    private static func problem(
        of request: LoopbackRequest, _ dialect: UploadServerDialect, isAppending: Bool
    ) -> LoopbackReply? {
        var problem: String?
        switch dialect {
        case .refused(let refusal): return refusal.reply
        case .plain: return nil
        case .tus:
            let isTyped = request.headers["Content-Type"] == "application/offset+octet-stream"
            if request.headers["Tus-Resumable"] != "1.0.0" { problem = "Tus-Resumable is not 1.0.0" }
            if isAppending || request.hasContent, !isTyped { problem = "the Content-Type is not that of tus" }
            if !isAppending, request.headers["Upload-Length"] == nil { problem = "there is no Upload-Length" }
        case .draft(let version):
            if isAppending, !request.isOfDraft { problem = "there is no interop version" }
            let isTyped = request.headers["Content-Type"] == "application/partial-upload"
            if isAppending, version >= 6, !isTyped { problem = "the Content-Type is not that of a part" }
            let field = version == 3 ? "Upload-Incomplete" : "Upload-Complete"
            if isAppending, !["?0", "?1"].contains(request.headers[field]) { problem = "there is no \(field)" }
        }
        return problem.map { .text($0, status: 400) }
    }
}

extension LoopbackRequest {
    /// Whether content comes with it.
    fileprivate var hasContent: Bool {
        self.headers["Transfer-Encoding"] != nil || (self.headers["Content-Length"].flatMap { Int($0) } ?? 0) > 0
    }

    /// Whether it asks for resumption by the draft.
    fileprivate var isOfDraft: Bool { self.headers["Upload-Draft-Interop-Version"] != nil }

    /// Whether its content is the last of its upload; one that begins an upload may be made for another version.
    fileprivate var saysComplete: Bool {
        self.headers["Upload-Complete"] == "?1" || self.headers["Upload-Incomplete"] == "?0"
    }
}
