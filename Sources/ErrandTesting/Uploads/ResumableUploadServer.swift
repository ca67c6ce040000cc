internal import Errand
internal import ErrandLocks

public import struct Foundation.Data

/// A server on this machine that takes uploads, loses connections on purpose, and lets uploads be resumed.
///
///     let server = try ResumableUploadServer(.draft(interopVersion: 8))
///     server.cut(after: 100_000, 50_000)
///     let text = try await client.upload(Post(server.url), from: file, resuming: .automatic)
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

    /// Where uploads begin.
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
        if let problem = self.problem(of: request, isAppending: false) { return problem }
        let (index, cut) = self.state.withLock { state in
            var upload = Upload(headers: request.headers)
            upload.length = request.headers["Upload-Length"].flatMap { Int($0) }
            state.uploads.append(upload)
            return (state.uploads.count - 1, request.hasContent && !state.cuts.isEmpty ? state.cuts.removeFirst() : nil)
        }
        let location = "/uploads/\(index)"
        guard case .draft(let version) = self.kind else {
            return LoopbackReply(
                .receive(atMost: cut ?? .max) { [weak self] in
                    self?.take($0, into: index, from: 0, isLast: false, answering: 201, location) ?? [.close]
                })
        }
        // A request of another kind is one without resumption.
        let isLast = request.saysComplete || !request.isOfDraft
        let fields = self.state.withLock { $0.announce }(
            ["Location": location, "Upload-Draft-Interop-Version": "\(version)"])
        let interim = (request.isOfDraft ? fields : nil).map {
            LoopbackReply.Step.message(LoopbackMessage(status: 104, headers: $0))
        }
        let receive = LoopbackReply.Step.receive(atMost: cut ?? .max) { [weak self] in
            self?.take($0, into: index, from: 0, isLast: isLast, answering: 201, location) ?? [.close]
        }
        return LoopbackReply(steps: [interim, receive].compactMap(\.self))
    }

    private func append(_ request: LoopbackRequest) -> LoopbackReply {
        if let reply = self.note(request) { return reply }
        guard let index = self.index(of: request) else { return .status(404) }
        if let problem = self.problem(of: request, isAppending: true) { return problem }
        let (upload, cut) = self.state.withLock { state in
            (state.uploads[index], request.hasContent && !state.cuts.isEmpty ? state.cuts.removeFirst() : nil)
        }
        let offset = upload.content.count
        guard request.headers["Upload-Offset"] == "\(offset)" else {
            return .status(409, headers: ["Upload-Offset": "\(offset)"])
        }
        guard !upload.isComplete else { return .text("the upload is complete", status: 400) }
        let isLast = self.kind != .tus && request.saysComplete
        return LoopbackReply(
            .receive(atMost: cut ?? .max) { [weak self] in
                self?.take($0, into: index, from: offset, isLast: isLast, answering: 204, nil) ?? [.close]
            })
    }

    private func status(_ request: LoopbackRequest) -> LoopbackReply {
        if let reply = self.note(request) { return reply }
        guard let index = self.index(of: request) else { return .status(404) }
        let upload = self.state.withLock { $0.uploads[index] }
        var headers: LoopbackFields = ["Upload-Offset": "\(upload.content.count)", "Cache-Control": "no-store"]
        if let length = upload.length { headers.append("Upload-Length", "\(length)") }
        switch self.kind {
        case .draft(interopVersion: 3): headers.append("Upload-Incomplete", upload.isComplete ? "?0" : "?1")
        case .draft: headers.append("Upload-Complete", upload.isComplete ? "?1" : "?0")
        case .tus: headers.append("Tus-Resumable", "1.0.0")
        }
        return .status(self.kind == .tus ? 200 : 204, headers: headers)
    }

    /// Keeps what has come, and goes on as far as that is.
    private func take(
        _ content: LoopbackContent, into index: Int, from offset: Int, isLast: Bool, answering status: HTTPStatus,
        _ location: String?
    ) -> [LoopbackReply.Step] {
        let (taken, final) = self.state.withLock { state -> (Upload?, LoopbackReply) in
            // Another request for the same upload may have come meanwhile: then this one is over, and completes nothing.
            guard state.uploads[index].content.count == offset else { return (nil, state.final) }
            state.uploads[index].content += content.bytes
            let count = state.uploads[index].content.count
            let isComplete = self.kind == .tus ? count == state.uploads[index].length : content.isWhole && isLast
            state.uploads[index].isComplete = state.uploads[index].isComplete || isComplete
            return (state.uploads[index], state.final)
        }
        guard content.isWhole, let upload = taken else { return [.hangUp] }
        var headers: LoopbackFields = location.map { ["Location": $0] } ?? [:]
        switch self.kind {
        case .tus:
            headers.append("Tus-Resumable", "1.0.0")
            headers.append("Upload-Offset", "\(upload.content.count)")
        case .draft(let version):
            guard !upload.isComplete else { return final.steps }
            headers.append("Upload-Offset", "\(upload.content.count)")
            headers.append(version == 3 ? "Upload-Incomplete" : "Upload-Complete", version == 3 ? "?1" : "?0")
        }
        return [.message(LoopbackMessage(status: status.code, headers: headers))]
    }

    private func index(of request: LoopbackRequest) -> Int? {
        guard let index = request.path.split(separator: "/").last.flatMap({ Int($0) }) else { return nil }
        return self.state.withLock { state in
            state.uploads.indices.contains(index) && !state.uploads[index].isGone ? index : nil
        }
    }

    /// The answer to a request that is not as the protocol wants it.
    private func problem(of request: LoopbackRequest, isAppending: Bool) -> LoopbackReply? {
        var problem: String?
        switch self.kind {
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
