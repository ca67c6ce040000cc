#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    internal import Foundation

    /// The reception of a response: events advance it, and return the next action.
    ///
    /// It collects a body for memory, and only counts the bytes of others.
    ///
    /// Events after the end are no-ops, because URLSession may report more events of a cancelled task.
    struct URLSessionReception {
        private enum State {
            /// No final head yet.
            ///
            /// Goes to `receiving`, or to `ended`.
            case waiting
            /// The head and the body received so far.
            ///
            /// Goes to `challenged`, or to `ended`.
            case receiving(HTTPResponse.Head, Content)
            /// The response is complete and the task is being cancelled for lack of credentials.
            ///
            /// Goes to `ended`.
            case challenged(HTTPResponse.Head, Content)
            /// There is a result, or the waiter has left.
            ///
            /// Final.
            case ended
        }

        /// The part of a body received so far.
        private struct Content {
            private(set) var data = Data()
            private(set) var count = 0
            /// The total number of bytes, if the head contains it.
            let length: Int64?

            init(length: Int64?) {
                self.length = length
            }

            /// Counts a piece, and appends it if it is to be kept.
            mutating func take(_ piece: Data, isKept: Bool) {
                self.count += piece.count
                if isKept { self.append(piece) }
            }

            /// Appends a piece; a single piece is not copied, and the first of several reserves space for the rest.
            private mutating func append(_ piece: Data) {
                let length = Int(clamping: self.length ?? 0)
                if self.data.isEmpty, length <= piece.count {
                    self.data = piece
                } else {
                    if self.data.isEmpty {
                        self.data.reserveCapacity(min(length, URLSessionReception.reservationLimit))
                    }
                    self.data.append(piece)
                }
            }
        }

        /// The maximum capacity reserved for an announced length.
        private static let reservationLimit = 1 << 20

        private let isHead: Bool
        private let isKept: Bool
        private let limit: Int
        private var state = State.waiting

        /// Creates the reception of the response to a request.
        ///
        /// - Parameters:
        ///   - method: The method of the request.
        ///   - limit: The maximum size of the body in memory; `nil` for other destinations.
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
            /// Report the head.
            case report
            /// Report the head, end with an error, and cancel the task.
            case fail(ErrandError)
            /// Continue.
            case ignore
            /// Cancel the task.
            case stop
        }

        /// Handles a head; interim ones (RFC 9110 §15.2) are not the response.
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
            /// Pass the piece on if it is not for memory, and report the progress.
            case report(TransferProgress)
            /// End with an error, and cancel the task.
            case fail(ErrandError)
            /// Cancel the task.
            case stop
        }

        /// Handles a piece of the body, which follows the head.
        mutating func received(_ data: Data) -> DataAction {
            switch self.take() {
            case .receiving(let head, var content):
                guard data.count <= self.limit - content.count else { return .fail(.bodyTooLarge(limit: self.limit)) }
                content.take(data, isKept: self.isKept)
                let progress = TransferProgress(bytes: Int64(content.count), total: content.length)
                self.state = .receiving(head, content)
                return .report(progress)
            case .challenged, .waiting:
                return .fail(ErrandError(.invalidResponse, "a body was received without a response"))
            case .ended:
                return .stop
            }
        }

        /// Handles a challenge, for which the session has no credentials.
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
            /// End with a response, whose body is the collected one, and report its head if that was not done.
            case succeed(HTTPResponse, isHeadNew: Bool)
            /// End with an error.
            case fail(ErrandError)
            /// Do nothing.
            case ignore
        }

        /// Handles the end of the task; for some responses, it is the first event with the head.
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

        /// Handles that the waiter has left.
        mutating func drop() {
            self.state = .ended
        }

        // MARK: - Private helpers

        /// Takes the state out, so that its body has one owner; an event that does not put it back ends the reception.
        private mutating func take() -> State {
            defer { self.state = .ended }
            return self.state
        }

        /// Returns the length of the body, if the head contains it: decoded content has another length than the one sent.
        private func bodyLength(_ head: HTTPResponse.Head) -> Int64? {
            guard !self.isHead, head.status != .noContent, head.status != .notModified,
                !head.headers.contains(HTTPField.Name.contentEncoding),
                let text = head.headers[HTTPField.Name.contentLength], let length = Int64(text), length >= 0
            else { return nil }
            return length
        }
    }
#endif
