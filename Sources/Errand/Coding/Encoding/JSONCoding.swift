public import class Foundation.JSONDecoder

/// The JSON of a client: how its endpoints read and write it unless they say so themselves.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") { $0.json = JSONCoding(keys: .snakeCase) }
/// ```
///
/// It holds for responses whose endpoint names no strategies (``Endpoint/decoder``), and for bodies that name no style
/// (``RequestBody/json(_:style:)-(EncodableSendable,_)``). Parameters keep the names that they were given.
public struct JSONCoding: Sendable {
    /// One reference, for it is read often.
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

    /// Names as they are, and dates as RFC 3339 spells them.
    public static let standard = JSONCoding(sharedJSONDecoder, .standard)

    /// Creates a coding by how names and dates are spelt.
    ///
    /// - Parameters:
    ///   - keys: The spelling of names: with ``ParameterEncoding/JSONStyle/Keys/snakeCase`` a property `nickName` is
    ///     `nick_name` in JSON.
    ///   - dates: The spelling of dates. A function writes them only; they are read as RFC 3339 spells them then.
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

    /// Creates a coding from a decoder and the style of what is written.
    ///
    /// - Parameters:
    ///   - decoder: The decoder with all strategies; it must not be changed later.
    ///   - style: The style of bodies.
    public init(decoder: JSONDecoder, style: ParameterEncoding.JSONStyle = .standard) {
        self.init(decoder, style)
    }

    /// The coding of the client whose endpoint is asked right now.
    @TaskLocal static var current = JSONCoding.standard

    /// Asks an endpoint, which reads and writes JSON like this.
    func use<Value>(_ body: () throws(ErrandError) -> Value) throws(ErrandError) -> Value {
        // Bound over another client's, which the task may have begun under.
        if self.isCurrent { return try body() }
        return try self.bind(body)
    }

    private var isCurrent: Bool { Self.current.parts === self.parts }

    /// Apart, for what it needs room for.
    @inline(never)
    private func bind<Value>(_ body: () throws(ErrandError) -> Value) throws(ErrandError) -> Value {
        try Self.$current.withValue(self) {
            Result { () throws(ErrandError) in try body() }
        }.get()
    }

    /// The same for one that has to be waited for.
    func useThroughout<Value: Sendable>(
        _ body: () async throws(ErrandError) -> Value
    ) async throws(ErrandError) -> Value {
        if self.isCurrent { return try await body() }
        return try await Self.$current.withValue(self) { () async -> Result<Value, ErrandError> in
            do throws(ErrandError) { return .success(try await body()) } catch { return .failure(error) }
        }.get()
    }
}
