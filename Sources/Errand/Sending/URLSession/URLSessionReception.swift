internal import Foundation

/// A response as it comes in: events move it, and answer what is to be done.
///
/// It keeps a body that is for memory, and only counts the bytes of others.
///
/// Events that arrive after the end are no-ops, because URLSession may tell a little more about a task that was
/// cancelled.
struct URLSessionReception {
    private enum State {
        /// No final head yet. Goes to `receiving`, or to `ended`.
        case waiting
        /// The head and what has come of the body. Goes to `challenged`, or to `ended`.
        case receiving(HTTPResponse.Head, Content)
        /// The response is complete and the task is being cancelled for lack of credentials. Goes to `ended`.
        case challenged(HTTPResponse.Head, Content)
        /// There is a result, or nobody wants one. Final.
        case ended
    }

    /// What has come of a body.
    private struct Content {
        private(set) var data = Data()
        private(set) var count = 0
        /// The number of bytes to come in all, where the head told it.
        let length: Int64?

        init(length: Int64?) {
            self.length = length
        }

        /// Counts a piece, and adds it if it is to be kept.
        mutating func take(_ piece: Data, isKept: Bool) {
            self.count += piece.count
            if isKept { self.append(piece) }
        }

        /// Adds a piece; the first one is not copied if it is all, and makes room for the others if it is not.
        private mutating func append(_ piece: Data) {
            let length = Int(clamping: self.length ?? 0)
            if self.data.isEmpty, length <= piece.count {
                self.data = piece
            } else {
                if self.data.isEmpty { self.data.reserveCapacity(min(length, URLSessionReception.reservationLimit)) }
                self.data.append(piece)
            }
        }
    }

    /// No more than this is set aside on the word of a head.
    private static let reservationLimit = 1 << 20

    private let isHead: Bool
    private let isKept: Bool
    private let limit: Int
    private var state = State.waiting

    /// Creates the reception of the response to a request.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - limit: The most bytes the body may have in memory; `nil` if it goes elsewhere.
    init(method: HTTPMethod, limit: Int?) {
        self.isHead = method == .head
        self.isKept = limit != nil
        self.limit = limit ?? .max
    }

    var isEnded: Bool {
        if case .ended = self.state { true } else { false }
    }

    // MARK: - Events

    enum HeadAction {
        /// Tell about the head.
        case report
        /// Tell about the head, end with an error, and cancel the task.
        case fail(ErrandError)
        /// Go on.
        case ignore
        /// Cancel the task.
        case stop
    }

    /// A head has come; interim ones (RFC 9110 §15.2) are not the response.
    mutating func received(_ head: HTTPResponse.Head) -> HeadAction {
        switch self.take() {
        case .waiting where head.status.kind == .informational:
            self.state = .waiting
            return .ignore
        case .waiting:
            let length = self.bodyLength(head)
            if let length, length > self.limit { return .fail(.bodyTooLarge(limit: self.limit)) }
            self.state = .receiving(head, Content(length: length))
            return .report
        case .receiving(let first, let content):
            self.state = .receiving(first, content)
            return .ignore
        case .challenged(let first, let content):
            self.state = .challenged(first, content)
            return .ignore
        case .ended:
            return .stop
        }
    }

    enum DataAction {
        /// Hand the piece on if it is not for memory, and tell how far the body has come.
        case report(TransferProgress)
        /// End with an error, and cancel the task.
        case fail(ErrandError)
        /// Cancel the task.
        case stop
    }

    /// A piece of the body has come; the head came before it.
    mutating func received(_ data: Data) -> DataAction {
        switch self.take() {
        case .receiving(let head, var content):
            guard data.count <= self.limit - content.count else { return .fail(.bodyTooLarge(limit: self.limit)) }
            content.take(data, isKept: self.isKept)
            let progress = TransferProgress(bytes: Int64(content.count), total: content.length)
            self.state = .receiving(head, content)
            return .report(progress)
        case .challenged, .waiting:
            return .fail(ErrandError(.invalidResponse, "a body came that belongs to no response"))
        case .ended:
            return .stop
        }
    }

    /// The response asks for credentials, of which the session has none.
    mutating func challenged() {
        switch self.take() {
        case .receiving(let head, let content), .challenged(let head, let content):
            self.state = .challenged(head, content)
        case .waiting:
            self.state = .waiting
        case .ended:
            break
        }
    }

    enum CompletionAction {
        /// End with a response, whose body is what was kept, and tell about its head if nobody did.
        case succeed(HTTPResponse, isHeadNew: Bool)
        /// End with an error.
        case fail(ErrandError)
        /// Do nothing.
        case ignore
    }

    /// The task has ended; for some responses its own head is the first that is heard of them.
    mutating func completed(_ head: HTTPResponse.Head?, _ error: (any Error)?) -> CompletionAction {
        switch self.take() {
        case .challenged(let head, let content):
            return .succeed(HTTPResponse(head: head, body: .bytes(content.data)), isHeadNew: false)
        case .receiving(let head, let content):
            if let error { return .fail(ErrandError(urlSession: error)) }
            return .succeed(HTTPResponse(head: head, body: .bytes(content.data)), isHeadNew: false)
        case .waiting:
            if let error { return .fail(ErrandError(urlSession: error)) }
            guard let head, head.status.kind != .informational else {
                return .fail(ErrandError(.invalidResponse, "there is no HTTP response"))
            }
            return .succeed(HTTPResponse(head: head, body: .bytes(Data())), isHeadNew: true)
        case .ended:
            return .ignore
        }
    }

    /// Nobody waits any more.
    mutating func drop() {
        self.state = .ended
    }

    // MARK: - Private helpers

    /// Takes the state out, so that a body in it has one owner; an event that puts nothing back ends the reception.
    private mutating func take() -> State {
        defer { self.state = .ended }
        return self.state
    }

    /// How long the body will be, as far as the head tells: decoded content has another length than the one sent.
    private func bodyLength(_ head: HTTPResponse.Head) -> Int64? {
        guard !self.isHead, head.status != .noContent, head.status != .notModified,
            !head.headers.contains(HTTPField.Name.contentEncoding),
            let text = head.headers[HTTPField.Name.contentLength], let length = Int64(text), length >= 0
        else { return nil }
        return length
    }
}
