public import struct Foundation.Data

/// A request, batch or chain as accessories see it: values, never the actor.
public struct RequestActivity: Sendable {
    /// The kind of activity.
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
    /// The kind of activity.
    public var kind: Kind { self.storage.kind }
    /// The name of the endpoint's type; `batch` or `chain` for those.
    public var name: String { self.storage.call?.text ?? "\(self.storage.kind)" }
    /// The request as Errand resolved it, before interceptors; `nil` for a batch or a chain.
    public var request: HTTPRequest? { self.storage.request }
    /// The tag given by the caller.
    public var tag: String? { self.storage.tag }
    /// Values attached by the caller.
    public var userInfo: [String: any Sendable] { self.storage.userInfo }
    /// The batch or chain it belongs to, if any.
    public var parent: RequestID? { self.storage.parent?.id }
    /// Its position in the batch or chain, from 0.
    public var position: Int? { self.storage.parent?.position }

    /// The method and URL of the request, without copying the rest.
    package var target: (method: HTTPMethod, url: HTTPURL)? {
        // Read separately, because reading both from the optional would copy the whole request.
        guard let method = self.storage.request?.method, let url = self.storage.request?.url else { return nil }
        return (method, url)
    }
    /// The size of the request body, if it is known without reading the body.
    package var knownBodySize: Int64? {
        switch self.storage.request?.body {
        case nil, .none?, .file?: nil
        case .bytes(let data)?: Int64(data.count)
        case .stream(_, let length)?: length
        }
    }
    /// The type that its name is made from; `nil` for a batch or a chain.
    package var call: CallName? { self.storage.call }
    /// The client's redaction rules.
    package var redaction: Redaction { self.storage.redaction }

    /// One reference, because an activity is passed to every hook.
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

/// The position of a request in its batch or chain.
package struct ParentLink: Sendable {
    let id: RequestID
    let position: Int
}

extension RequestActivity {
    /// The end of an activity, as accessories see it.
    public struct End: Sendable {
        /// The possible results.
        public enum Result: Sendable {
            /// The response came from the network, or all children or steps succeeded.
            case finished
            /// The response came from the cache.
            case cached
            /// The activity failed, or was cancelled; then the code is ``ErrandError/Code/cancelled``.
            case failed(ErrandError)
        }

        /// The result.
        public var result: Result { self.storage.result }
        /// The status and header fields, if there was a response.
        public var head: HTTPResponse.Head? { self.storage.head }
        /// The size of the response body in bytes, if there was a response; of a stream, the bytes read.
        public var bodySize: Int? { self.storage.bodySize }
        /// The response body, if it is in memory.
        ///
        /// Keeping it keeps the whole body in memory.
        public var body: Data? { self.storage.body }
        /// The number of times the request went to the transport.
        public var attempts: Int { self.storage.attempts }
        /// The timings of the phases.
        public var timings: ExchangeMetrics.Timings { self.storage.timings }
        /// The trace context of the last attempt, if it has one; see ``TracingInterceptor``.
        public var trace: TraceContext? { self.storage.trace }

        /// One reference, as in an activity.
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

        /// The status code, without copying the head.
        package var statusCode: Int? { self.storage.head?.status.code }

        /// The error code, without copying the error.
        package var errorCode: ErrandError.Code? {
            guard case .failed(let error) = self.storage.result else { return nil }
            return error.code
        }

        /// The error, if the activity failed.
        public var error: ErrandError? {
            guard case .failed(let error) = self.result else { return nil }
            return error
        }

        /// A Boolean value that indicates whether the activity was cancelled.
        public var isCancelled: Bool { self.error?.code == .cancelled }
    }
}

extension RequestActivity: CustomReflectable {
    /// A mirror without secrets, including those of ``ClientConfiguration/Credentials/secretHeaders``.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "id": self.id, "kind": self.kind, "name": self.name, "tag": self.tag as Any,
            "method": self.request?.method as Any, "url": self.request?.url.redacted(by: self.redaction) as Any,
            "headers": self.request?.headers.description(redactedBy: self.redaction) as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
