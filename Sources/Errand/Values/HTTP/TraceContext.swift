internal import ErrandLocks

/// The position of a request in a distributed trace, as in `traceparent` and `tracestate`.
///
/// A value of [W3C Trace Context](https://www.w3.org/TR/trace-context/), version 00.
public struct TraceContext: Sendable, Hashable {
    /// The context of the current task; requests that it sends continue the trace.
    ///
    /// Set it with `TraceContext.$current.withValue(context) { … }`. ``TracingInterceptor`` reads it.
    @TaskLocal public static var current: TraceContext?

    /// A Boolean value that indicates whether the caller records the trace.
    public let isSampled: Bool
    /// Vendor-specific data of the trace: the value of `tracestate`, passed on unchanged.
    public let state: String?

    private let trace: (high: UInt64, low: UInt64)
    private let span: UInt64

    /// Creates a context with given ids; an id of zeros is invalid, so its last digit becomes a one.
    init(trace: (high: UInt64, low: UInt64), span: UInt64, isSampled: Bool, state: String?) {
        self.trace = trace.high == 0 && trace.low == 0 ? (0, 1) : trace
        self.span = span == 0 ? 1 : span
        self.isSampled = isSampled
        self.state = state
    }

    /// Creates the start of a trace.
    ///
    /// - Parameters:
    ///   - isSampled: Pass true to have the trace recorded.
    ///   - generator: The source of its ids.
    public init(isSampled: Bool = true, using generator: inout some RandomNumberGenerator) {
        self.init(
            trace: (generator.next(), generator.next()), span: generator.next(), isSampled: isSampled, state: nil)
    }

    /// Creates the start of a trace, with random ids.
    ///
    /// - Parameter isSampled: Pass true to have the trace recorded.
    public init(isSampled: Bool = true) {
        var generator = SystemRandomNumberGenerator()
        self.init(isSampled: isSampled, using: &generator)
    }

    // MARK: - As header fields

    /// Parses the values of header fields.
    ///
    /// Later versions are parsed like version 00, as the recommendation requires (§4.3). An invalid `tracestate` is
    /// dropped: it must not be passed on.
    ///
    /// - Parameters:
    ///   - traceparent: The value of the field `traceparent`; the result is `nil` if it is invalid.
    ///   - tracestate: The value of the field `tracestate`, if any.
    public init?(traceparent: String, tracestate: String? = nil) {
        let text = Array(traceparent.utf8)
        guard text.count >= 55, let version = Self.number(text[0..<2]), version != 0xFF,
            text.count == 55 || (version > 0 && text[55] == UInt8(ascii: "-")),
            [2, 35, 52].allSatisfy({ text[$0] == UInt8(ascii: "-") }),
            let high = Self.number(text[3..<19]), let low = Self.number(text[19..<35]), high != 0 || low != 0,
            let span = Self.number(text[36..<52]), span != 0, let flags = Self.number(text[53..<55])
        else { return nil }
        self.init(
            trace: (high, low), span: span, isSampled: flags & 1 == 1,
            state: tracestate.flatMap { Self.isLegal(state: $0) ? $0 : nil })
    }

    /// The value of the header field `traceparent`.
    public var traceparent: String { "00-\(self.traceID)-\(self.spanID)-0\(self.isSampled ? 1 : 0)" }

    /// The id of the trace: 32 hexadecimal digits.
    public var traceID: String { Self.digits(self.trace.high) + Self.digits(self.trace.low) }

    /// The id of the span, called parent id in the recommendation: 16 hexadecimal digits.
    public var spanID: String { Self.digits(self.span) }

    // MARK: - Going on

    /// Returns the context of a child span: the same trace, with a new id.
    ///
    /// - Parameter generator: The source of the id.
    /// - Returns: The context.
    public func child(using generator: inout some RandomNumberGenerator) -> TraceContext {
        self.child(span: generator.next())
    }

    func child(span: UInt64) -> TraceContext {
        TraceContext(trace: self.trace, span: span, isSampled: self.isSampled, state: self.state)
    }

    // MARK: - Hashable

    /// Returns true if two contexts are equal.
    public static func == (one: TraceContext, other: TraceContext) -> Bool {
        one.trace == other.trace && one.span == other.span && one.isSampled == other.isSampled
            && one.state == other.state
    }

    /// Feeds the context to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.trace.high)
        hasher.combine(self.trace.low)
        hasher.combine(self.span)
    }

    // MARK: - Digits

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Parses up to 16 hexadecimal digits; only lower-case ones are valid.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    // MARK: - State

    /// Returns true if a text is a list of at most 32 members, each a key and a value (§3.3.1).
    private static func isLegal(state: String) -> Bool {
        let members = state.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: true)
            .map { $0.drop { $0 == 0x20 || $0 == 0x09 } }
            .filter { !$0.isEmpty }
        guard 1...32 ~= members.count else { return false }
        return members.allSatisfy { member in
            guard let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return false }
            return Self.isKey(member[..<equals]) && Self.isValue(member[member.index(after: equals)...])
        }
    }

    private static func isKey(_ key: Substring.UTF8View) -> Bool {
        guard 1...256 ~= key.count, let first = key.first, Self.isLowercaseOrDigit(first) else { return false }
        return key.allSatisfy { Self.isLowercaseOrDigit($0) || "_-*/@".utf8.contains($0) }
    }

    private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func isValue(_ value: Substring.UTF8View) -> Bool {
        guard 1...256 ~= value.count else { return false }
        return value.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "=") }
    }
}

/// The trace of a request, which gives each of its attempts a span.
package final class RequestTrace: Sendable {
    private let parent: TraceContext
    private let reaches: @Sendable (HTTPURL) -> Bool
    private let random: @Sendable () -> UInt64
    private let lastContext = Locked<TraceContext?>(nil)

    /// The span of the last attempt.
    package var last: TraceContext? { self.lastContext.withLock { $0 } }

    package init(
        _ parent: TraceContext, reaches: @escaping @Sendable (HTTPURL) -> Bool, random: @escaping @Sendable () -> UInt64
    ) {
        self.parent = parent
        self.reaches = reaches
        self.random = random
    }

    /// Adds the next attempt to the trace.
    ///
    /// - Returns: Its span, or `nil` if the trace must not be sent to its server.
    package func mark(_ request: inout HTTPRequest) -> TraceContext? {
        guard self.reaches(request.url) else { return nil }
        let context = self.parent.child(span: self.random())
        request.headers[HTTPField.Name.traceparent] = context.traceparent
        request.headers[HTTPField.Name.tracestate] = context.state
        self.lastContext.withLock { $0 = context }
        return context
    }
}
