extension Timeline {
    /// One request, batch or chain.
    ///
    /// It holds no secrets: the URL is redacted (`HTTPURL.redacted`), header fields and bodies are not recorded, and
    /// only the code of an error is.
    public struct Span: Sendable, Hashable, Codable, Identifiable {
        /// The kinds of activities.
        public enum Kind: String, Sendable, Hashable, Codable {
            /// One request.
            case request
            /// A batch of requests.
            case batch
            /// A chain of requests.
            case chain
        }

        /// The possible outcomes.
        public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
            /// It had not ended when the timeline was taken.
            case running
            /// A response came from the network, or all children and steps ended.
            case finished
            /// The response came from the cache.
            case cached
            /// It failed; ``Span/failure`` has the error code.
            case failed
            /// It was cancelled.
            case cancelled
        }

        /// The number of its id, unique in its process.
        public var id: UInt64
        /// The kind of the activity.
        public var kind: Kind
        /// The name of the endpoint's type; `batch` or `chain` for those.
        public var name: String
        /// The tag of the request.
        public var tag: String?
        /// The id of its batch or chain.
        public var parent: UInt64?
        /// Its position in the batch or chain, from 0.
        public var position: Int?
        /// The request method.
        public var method: String?
        /// The original URL without secrets.
        ///
        /// It is the URL before redirects, truncated if it is very long.
        public var url: String?
        /// The interval from start to end, including hooks; if it had not ended, up to the time at which the timeline
        /// was taken.
        public var interval: Interval
        /// The outcome.
        public var outcome: Outcome
        /// The code of the error with which it ended.
        public var failure: String?
        /// The status code of the last response.
        public var status: Int?
        /// The size of the response body in bytes, decoded.
        public var bodySize: Int?
        /// The number of ended children or steps of a batch or chain.
        public var endedChildren: Int?
        /// The phases, in order; gaps between them are hooks, interceptors and waiting.
        public var phases: [Phase]
        /// The number of attempts, of which ``attempts`` has the first ones.
        public var attemptCount: Int
        /// The exchanges, in order: retries, and those that redirects and challenges led to.
        public var attempts: [Attempt]
        /// Notes about the cache and other events.
        public var notes: [String]

        /// Creates the span of an activity that has not ended, with default values.
        public init(
            id: UInt64, kind: Kind, name: String, interval: Interval, parent: UInt64? = nil, position: Int? = nil
        ) {
            self.id = id
            self.kind = kind
            self.name = name
            self.parent = parent
            self.position = position
            self.interval = interval
            self.outcome = .running
            self.phases = []
            self.attemptCount = 0
            self.attempts = []
            self.notes = []
        }
    }

    /// One exchange with a server.
    public struct Attempt: Sendable, Hashable, Codable {
        /// Its number, from 1.
        public var number: Int
        /// From its start to its end.
        public var interval: Interval
        /// The status code of its response.
        public var status: Int?
        /// The code of the error with which it failed; `nil` for a response that was not accepted.
        public var failure: String?
        /// The HTTP version, such as `HTTP/2`.
        public var httpVersion: String?
        /// The address of the peer.
        public var remoteAddress: String?
        /// A Boolean value that indicates whether the connection had served an exchange before; `nil` if that is not
        /// known.
        public var isConnectionReused: Bool?
        /// The number of bytes of the request body that were sent.
        public var bytesSent: Int64
        /// The number of bytes of the response body that were received, in encoded form.
        public var bytesReceived: Int64

        /// Creates an attempt with default values.
        public init(number: Int, interval: Interval) {
            self.number = number
            self.interval = interval
            self.bytesSent = 0
            self.bytesReceived = 0
        }
    }
}
