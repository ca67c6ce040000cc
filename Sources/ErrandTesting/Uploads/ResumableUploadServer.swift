internal import Errand
internal import ErrandLocks

public import struct Foundation.Data

/// A local server for resumable uploads, which cuts connections on purpose.
///
///     let server = try ResumableUploadServer(.draft(interopVersion: 8))
///     server.cut(after: 100_000, 50_000)
///     let text = try await client.upload(Post(server.url), from: file, options: .uploadResumption(.automatic))
///     #expect(server.uploads.first?.content == content)
///
/// It is strict: a request that violates the protocol is answered with an error. Replies can be replaced one by one, to
/// simulate servers that violate the protocol.
public final class ResumableUploadServer: Sendable {
    /// The upload protocol of the server.
    public enum Kind: Sendable, Hashable {
        /// The IETF draft, always with this interop version, whatever a request asks for.
        case draft(interopVersion: Int)
        /// tus 1.0.0 with the extension `creation`, and with `creation-with-upload` if a creation has content.
        case tus
        /// The draft as implemented by swift-nio-extras 1: interop versions 3, 5 and 6, as a request asks for.
        ///
        /// Another version is refused with 400, along with the newest one that it supports.
        case swiftNIOExtras
        /// The draft as implemented by tusd 2, where it is optional: interop versions 3 to 6, as a request asks for;
        /// and tus.
        ///
        /// Any other request is treated as one of tus without a version, and refused with 412.
        case tusd
    }

    /// The state of an upload.
    public struct Upload: Sendable, Hashable {
        /// The received bytes.
        public fileprivate(set) var content = Data()
        /// The announced length, if any.
        public fileprivate(set) var length: Int?
        /// A Boolean value that indicates whether all bytes were received.
        public fileprivate(set) var isComplete = false
        /// A Boolean value that indicates whether the upload was discarded: the server responds as if it had never
        /// existed.
        public fileprivate(set) var isGone = false
        /// The fields of the request that created it.
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

    /// The underlying server.
    public let server: LoopbackServer
    private let kind: Kind
    private let state = Locked(State())

    /// Starts a server on a free port.
    ///
    /// - Parameter kind: The upload protocol.
    /// - Throws: `LoopbackError` if no socket could be opened.
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

    /// The URL for creating uploads.
    public var url: String { self.server.baseURL + "files" }

    /// The uploads in the order of creation.
    public var uploads: [Upload] { self.state.withLock { $0.uploads } }

    /// The heads of all requests, in order, including those that were cut; without their bodies.
    public var requests: [LoopbackRequest] { self.state.withLock { $0.requests } }

    // MARK: - Behavior

    /// Cuts the connections of the next requests with content, each after the given number of bytes.
    public func cut(after counts: Int...) {
        self.cut(after: counts)
    }

    /// Cuts the connections of the next requests with content, each after the given number of bytes.
    public func cut(after counts: [Int]) {
        self.state.withLock { $0.cuts += counts }
    }

    /// Sets another reply to the next request with a method, once; replies for the same method are used in order.
    public func answerNext(_ method: String, _ reply: LoopbackReply) {
        self.state.withLock { $0.replies[method, default: []].append(reply) }
    }

    /// Changes the fields of the interim responses that announce the location of an upload; with `nil` none is sent.
    public func announce(_ change: @escaping @Sendable (LoopbackFields) -> LoopbackFields?) {
        self.state.withLock { $0.announce = change }
    }

    /// Sets the reply to the completion of an upload instead of a text; for the draft only.
    public func answerWhenComplete(_ reply: LoopbackReply) {
        self.state.withLock { $0.final = reply }
    }

    /// Discards all uploads: requests for them are answered with 404.
    public func forgetUploads() {
        self.state.withLock { state in
            for index in state.uploads.indices { state.uploads[index].isGone = true }
        }
    }

    // MARK: - Requests

    /// Records a request; returns the reply that replaces the server's own, if any.
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
        // Any other request is one without resumption.
        let isLast = dialect != .tus && (request.saysComplete || !request.isOfDraft)
        let receive = LoopbackReply.Step.receive(atMost: cut ?? .max) { [weak self] in
            self?.take($0, into: index, from: 0, isLast: isLast, answering: 201, location, dialect) ?? [.close]
        }
        return LoopbackReply(steps: [self.announcement(of: index, to: request, dialect), receive].compactMap(\.self))
    }

    /// The interim response with the location of an upload; `nil` if the request does not ask for it.
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
            // swift-nio-extras also discards the upload.
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

    /// Stores the received content, and returns the steps that follow.
    private func take(
        _ content: LoopbackContent, into index: Int, from offset: Int, isLast: Bool, answering status: HTTPStatus,
        _ location: String?, _ dialect: UploadServerDialect
    ) -> [LoopbackReply.Step] {
        let (taken, final) = self.state.withLock { state -> (Upload?, LoopbackReply) in
            // If another request for the same upload has arrived meanwhile, this one has ended, and is not completed.
            guard state.uploads[index].content.count == offset else { return (nil, state.final) }
            state.uploads[index].content += content.bytes
            let count = state.uploads[index].content.count
            let isComplete = dialect == .tus ? count == state.uploads[index].length : content.isWhole && isLast
            state.uploads[index].isComplete = state.uploads[index].isComplete || isComplete
            if isComplete, self.kind.forgetsComplete { state.uploads[index].isGone = true }
            return (state.uploads[index], state.final)
        }
        guard content.isWhole, let upload = taken else { return [.hangUp] }
        // tusd always sends its own response.
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

    /// The reply to a request that violates the protocol, if it does.
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
    /// True if the request has content.
    fileprivate var hasContent: Bool {
        self.headers["Transfer-Encoding"] != nil || (self.headers["Content-Length"].flatMap { Int($0) } ?? 0) > 0
    }

    /// True if the request asks for resumption by the draft.
    fileprivate var isOfDraft: Bool { self.headers["Upload-Draft-Interop-Version"] != nil }

    /// True if the content is the last of its upload; a creation may be written for another version.
    fileprivate var saysComplete: Bool {
        self.headers["Upload-Complete"] == "?1" || self.headers["Upload-Incomplete"] == "?0"
    }
}
