public import struct Foundation.Data

/// A request, batch or chain as an accessory sees it: values, never the actor.
public struct RequestActivity: Sendable {
    /// What kind of work it is.
    ///
    /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// One request.
        case request
        /// A batch of requests.
        case batch
        /// A chain of requests.
        case chain
    }

    /// The id, unique in the process.
    public var id: RequestID { self.storage.id }
    /// What kind of work it is.
    public var kind: Kind { self.storage.kind }
    /// The name of the endpoint's type; `batch` or `chain` for those.
    public var name: String { self.storage.call?.text ?? "\(self.storage.kind)" }
    /// The request as Errand resolved it, before interceptors; `nil` for a batch or a chain.
    public var request: HTTPRequest? { self.storage.request }
    /// The tag its maker gave it.
    public var tag: String? { self.storage.tag }
    /// What its maker attached to it.
    public var userInfo: [String: any Sendable] { self.storage.userInfo }
    /// The batch or chain it belongs to.
    public var parent: RequestID? { self.storage.parent?.id }
    /// Its position in that, from 0.
    public var position: Int? { self.storage.parent?.position }

    /// The method and the URL of the request alone, for those who keep no more.
    package var target: (method: HTTPMethod, url: HTTPURL)? {
        // Each by itself: as a whole the request would be copied.
        guard let method = self.storage.request?.method, let url = self.storage.request?.url else { return nil }
        return (method, url)
    }
    /// The size of the body of the request, where it is known without looking.
    package var knownBodySize: Int64? {
        switch self.storage.request?.body {
        case nil, .none?, .file?: nil
        case .bytes(let data)?: Int64(data.count)
        case .stream(_, let length)?: length
        }
    }
    /// The type that its name is made from; `nil` for a batch or a chain.
    package var call: CallName? { self.storage.call }
    /// What the client hides of its requests.
    package var redaction: Redaction { self.storage.redaction }

    /// An activity is handed to every hook: one pointer makes that cheap.
    private let storage: Storage

    package init(
        id: RequestID, kind: Kind, type: Any.Type? = nil, name: String? = nil, request: HTTPRequest? = nil,
        tag: String? = nil, userInfo: [String: any Sendable] = [:], parent: ParentLink? = nil,
        redaction: Redaction = .standard
    ) {
        let call = name.map(CallName.given) ?? type.map(CallName.type)
        self.storage = Storage(id, kind, call, request, tag, userInfo, parent, redaction)
    }

    private final class Storage: Sendable {
        let id: RequestID
        let kind: Kind
        let call: CallName?
        let request: HTTPRequest?
        let tag: String?
        let userInfo: [String: any Sendable]
        let parent: ParentLink?
        let redaction: Redaction

        init(
            _ id: RequestID, _ kind: Kind, _ call: CallName?, _ request: HTTPRequest?,
            _ tag: String?, _ userInfo: [String: any Sendable], _ parent: ParentLink?, _ redaction: Redaction
        ) {
            self.id = id
            self.kind = kind
            self.call = call
            self.request = request
            self.tag = tag
            self.userInfo = userInfo
            self.parent = parent
            self.redaction = redaction
        }
    }
}

/// The place of a request in its batch or chain.
package struct ParentLink: Sendable {
    let id: RequestID
    let position: Int
}

extension RequestActivity {
    /// How a piece of work ended, as an accessory sees it.
    public struct End: Sendable {
        /// The ways to end.
        public enum Result: Sendable {
            /// The network answered, or all children and steps did.
            case finished
            /// The cache answered.
            case cached
            /// It failed, or was cancelled: then the code is ``ErrandError/Code/cancelled``.
            case failed(ErrandError)
        }

        /// How it ended.
        public var result: Result { self.storage.result }
        /// The status and header fields, where there was a response.
        public var head: HTTPResponse.Head? { self.storage.head }
        /// The size of the response body in bytes, where there was one; of a stream, what was read of it.
        public var bodySize: Int? { self.storage.bodySize }
        /// The response body, where there was one and it is in memory; whoever keeps it keeps all of it.
        public var body: Data? { self.storage.body }
        /// How often the request went to the transport.
        public var attempts: Int { self.storage.attempts }
        /// Where the time went.
        public var timings: ExchangeMetrics.Timings { self.storage.timings }
        /// The place of its last attempt in a trace, where it has one; see ``TracingInterceptor``.
        public var trace: TraceContext? { self.storage.trace }

        /// Handed to every hook as activities are.
        private let storage: Storage

        package init(
            result: Result, head: HTTPResponse.Head?, bodySize: Int?, body: Data?, attempts: Int,
            timings: ExchangeMetrics.Timings,
            trace: TraceContext?
        ) {
            self.storage = Storage(result, head, bodySize, body, attempts, timings, trace)
        }

        private final class Storage: Sendable {
            let result: Result
            let head: HTTPResponse.Head?
            let bodySize: Int?
            let body: Data?
            let attempts: Int
            let timings: ExchangeMetrics.Timings
            let trace: TraceContext?

            init(
                _ result: Result, _ head: HTTPResponse.Head?, _ bodySize: Int?, _ body: Data?, _ attempts: Int,
                _ timings: ExchangeMetrics.Timings, _ trace: TraceContext?
            ) {
                self.result = result
                self.head = head
                self.bodySize = bodySize
                self.body = body
                self.attempts = attempts
                self.timings = timings
                self.trace = trace
            }
        }

        /// The code of the status alone, for those who keep no more.
        package var statusCode: Int? { self.storage.head?.status.code }

        /// The code of the error alone.
        package var errorCode: ErrandError.Code? {
            guard case .failed(let error) = self.storage.result else { return nil }
            return error.code
        }

        /// The error, if it failed.
        public var error: ErrandError? {
            guard case .failed(let error) = self.result else { return nil }
            return error
        }

        /// Tells whether it was cancelled.
        public var isCancelled: Bool { self.error?.code == .cancelled }
    }
}

extension RequestActivity: CustomReflectable {
    /// A mirror without secrets, those of ``ClientConfiguration/Credentials/secretHeaders`` included.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "id": self.id, "kind": self.kind, "name": self.name, "tag": self.tag as Any,
            "method": self.request?.method as Any, "url": self.request?.url.redacted(by: self.redaction) as Any,
            "headers": self.request?.headers.description(redactedBy: self.redaction) as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
