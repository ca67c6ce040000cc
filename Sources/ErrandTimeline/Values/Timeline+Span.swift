extension Timeline {
    /// One request, batch or chain.
    ///
    /// It holds no secrets: the URL has none (`HTTPURL.redacted`), header fields and bodies are not kept, and of an
    /// error only the code.
    public struct Span: Sendable, Hashable, Codable, Identifiable {
        /// The kinds of work.
        public enum Kind: String, Sendable, Hashable, Codable {
            /// One request.
            case request
            /// A batch of requests.
            case batch
            /// A chain of requests.
            case chain
        }

        /// The ways to end.
        public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
            /// It had not ended when the timeline was taken.
            case running
            /// The network answered, or all children and steps did.
            case finished
            /// The cache answered.
            case cached
            /// It failed; ``Span/failure`` says how.
            case failed
            /// It was cancelled.
            case cancelled
        }

        /// The number of the id, unique in the process that it ran in.
        public var id: UInt64
        /// What kind of work it was.
        public var kind: Kind
        /// The name of the endpoint's type; `batch` or `chain` for those.
        public var name: String
        /// The tag that its maker gave it.
        public var tag: String?
        /// The batch or chain that it belonged to.
        public var parent: UInt64?
        /// Its position in that, from 0.
        public var position: Int?
        /// The request method.
        public var method: String?
        /// The URL without secrets, as it was asked for.
        ///
        /// Redirections do not show. It is cut where it is very long.
        public var url: String?
        /// From its start to its end, hooks included; to when the timeline was taken, if it had not ended.
        public var interval: Interval
        /// How it ended.
        public var outcome: Outcome
        /// The code of the error it ended with.
        public var failure: String?
        /// The status code of the last response.
        public var status: Int?
        /// The size of the response body in bytes, decompressed.
        public var bodySize: Int?
        /// How many children or steps of a batch or chain had ended.
        public var endedChildren: Int?
        /// What its time went into, in order; what is missing between two phases went into hooks, interceptors and
        /// waiting.
        public var phases: [Phase]
        /// How often it went to the transport: ``attempts`` has the first ones.
        public var attemptCount: Int
        /// The exchanges, in order: tries, and what redirections and challenges led to.
        public var attempts: [Attempt]
        /// What it was told by the cache, and what else there was to know, in words.
        public var notes: [String]

        /// Creates the span of something that has not ended, and of which nothing more is known.
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
        /// The code of the error it failed with; of a response that was not accepted, nothing.
        public var failure: String?
        /// The version of HTTP that it spoke, such as `HTTP/2`.
        public var httpVersion: String?
        /// The address of the other end.
        public var remoteAddress: String?
        /// Whether the connection had served an exchange before; `nil` if that is not known.
        public var isConnectionReused: Bool?
        /// Bytes of the request body that were sent.
        public var bytesSent: Int64
        /// Bytes of the response body as they came over the wire.
        public var bytesReceived: Int64

        /// Creates an attempt of which nothing more is known.
        public init(number: Int, interval: Interval) {
            self.number = number
            self.interval = interval
            self.bytesSent = 0
            self.bytesReceived = 0
        }
    }
}
