/// What a call answers, and how it came about.
public struct TypedResponse<Value: Sendable>: Sendable {
    /// The decoded value.
    public let value: Value
    /// The status and header fields of the response.
    public let head: HTTPResponseHead
    /// Where the response came from.
    public let source: ResponseSource
    /// Where the time went.
    public let timings: Timings
    /// How often the request went to the transport; 0 for an answer from the cache.
    public let attempts: Int
    /// The id of the request.
    public let requestID: RequestID
}

/// Where a response came from.
public enum ResponseSource: Sendable, Hashable {
    /// The network.
    case network
    /// The cache, where it had been for so long.
    case cache(age: Duration)

    /// Tells whether the cache answered.
    public var isCache: Bool {
        if case .cache = self { true } else { false }
    }
}

/// What a run comes to: a response or an error.
package typealias Outcome<Value: Sendable> = Result<TypedResponse<Value>, ErrandError>
