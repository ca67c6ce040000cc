public import class Foundation.JSONDecoder

/// The JSON settings of a client, for endpoints without their own.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") { $0.json = JSONCoding(keys: .snakeCase) }
/// ```
///
/// They apply to responses whose endpoint sets no strategies (``Endpoint/decoder``), and to bodies without a style
/// (``RequestBody/json(_:style:)-(EncodableSendable,_)``). Parameters keep their names.
public struct JSONCoding: Sendable {
    /// One reference, because it is read often.
    private let parts: Parts

    private final class Parts: Sendable {
        let decoder: JSONDecoder
        let style: ParameterEncoding.JSONStyle

        init(_ decoder: JSONDecoder, _ style: ParameterEncoding.JSONStyle) {
            (self.decoder, self.style) = (decoder, style)
        }
    }

    private init(_ decoder: JSONDecoder, _ style: ParameterEncoding.JSONStyle) {
        self.parts = Parts(decoder, style)
    }

    var decoder: JSONDecoder { self.parts.decoder }
    var style: ParameterEncoding.JSONStyle { self.parts.style }

    /// Unchanged names, and dates in the format of RFC 3339.
    public static let standard = JSONCoding(sharedJSONDecoder, .standard)

    /// Creates a coding from formats of names and dates.
    ///
    /// - Parameters:
    ///   - keys: The format of names: with ``ParameterEncoding/JSONStyle/Keys/snakeCase`` a property `nickName` is
    ///     `nick_name` in JSON.
    ///   - dates: The format of dates. A function applies to writing only; for reading, the format of RFC 3339 is then
    ///     used.
    public init(
        keys: ParameterEncoding.JSONStyle.Keys = .given, dates: ParameterEncoding.DateStyle = .iso8601
    ) {
        let decoder = JSONDecoder()
        if keys == .snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        decoder.dateDecodingStrategy =
            switch dates {
            case .iso8601, .custom: .rfc3339
            case .secondsSince1970: .secondsSince1970
            case .millisecondsSince1970: .millisecondsSince1970
            }
        self.init(decoder, ParameterEncoding.JSONStyle(keys: keys, dates: dates))
    }

    /// Creates a coding from a decoder and a style for writing.
    ///
    /// - Parameters:
    ///   - decoder: The decoder; it must not be changed later.
    ///   - style: The style of bodies.
    public init(decoder: JSONDecoder, style: ParameterEncoding.JSONStyle = .standard) {
        self.init(decoder, style)
    }

    /// The coding of the client whose endpoint is being called.
    @TaskLocal static var current = JSONCoding.standard

    /// Calls an endpoint with this coding as the current one.
    func use<Value>(_ body: () throws(ErrandError) -> Value) throws(ErrandError) -> Value {
        // Bound again if the task has started under another client's coding.
        if self.isCurrent { return try body() }
        return try self.bind(body)
    }

    private var isCurrent: Bool { Self.current.parts === self.parts }

    /// A separate function, to keep its stack space out of the caller's.
    @inline(never)
    private func bind<Value>(_ body: () throws(ErrandError) -> Value) throws(ErrandError) -> Value {
        try Self.$current.withValue(self) {
            Result { () throws(ErrandError) in try body() }
        }.get()
    }

    /// Calls an asynchronous function with this coding as the current one.
    func useThroughout<Value: Sendable>(
        _ body: () async throws(ErrandError) -> Value
    ) async throws(ErrandError) -> Value {
        if self.isCurrent { return try await body() }
        return try await Self.$current.withValue(self) { () async -> Result<Value, ErrandError> in
            do throws(ErrandError) { return .success(try await body()) } catch { return .failure(error) }
        }.get()
    }
}
