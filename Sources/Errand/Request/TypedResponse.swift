/// What a call answers, and how it came about.
public struct TypedResponse<Value: Sendable>: Sendable {
    /// The decoded value.
    public let value: Value
    /// The id of the request.
    public let requestID: RequestID

    private let answer: Answer

    package init(value: Value, answer: Answer, requestID: RequestID) {
        self.value = value
        self.answer = answer
        self.requestID = requestID
    }

    /// The status and header fields of the response.
    public var head: HTTPResponseHead { self.answer.head }
    /// Where the response came from.
    public var source: ResponseSource { self.answer.source }
    /// Where the time went.
    public var timings: Timings { self.answer.timings }
    /// How often the request went to the transport; 0 for an answer from the cache.
    public var attempts: Int { self.answer.attempts }
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

/// All that is known of a successful run but its value.
package final class Answer: Sendable {
    let head: HTTPResponseHead
    let source: ResponseSource
    let timings: Timings
    let attempts: Int

    init(head: HTTPResponseHead, source: ResponseSource, timings: Timings, attempts: Int) {
        self.head = head
        self.source = source
        self.timings = timings
        self.attempts = attempts
    }
}

/// What a run comes to; the value stays with the request until someone asks for it.
package typealias RunOutcome = Result<Answer, ErrandError>
