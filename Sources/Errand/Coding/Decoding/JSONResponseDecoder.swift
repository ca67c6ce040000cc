public import struct Foundation.Data
public import class Foundation.JSONDecoder

/// Decodes a `Decodable` value, or a ``JSONValue``, from JSON (RFC 8259).
///
/// A body that is empty, or nothing but white space, is `nil` for an optional, ``JSONValue/null`` for a ``JSONValue``,
/// and an error for everything else.
///
/// Of two members of an object with the same name the last counts, as in a ``JSONValue``. A number that does not fit its
/// type, such as `300` for an `Int8`, is an error that names its path.
///
/// `JSONDecoder` takes two spellings of a name, such as "é" as one code point and as two, for one: a text in which an
/// object has both is refused, since one of the members would get lost. As a ``JSONValue`` it keeps both.
public struct JSONResponseDecoder<Output: Decodable & Sendable>: ResponseDecoder {
    private let decoder: JSONDecoder
    private let removesNulls: Bool

    /// Creates a decoder; dates are read as RFC 3339 spells them.
    ///
    /// - Parameter removingNulls: Whether members and elements that are `null` are taken out first, at any depth.
    public init(removingNulls: Bool = false) {
        self.init(sharedJSONDecoder, removingNulls: removingNulls)
    }

    /// Creates a decoder with strategies of its own.
    ///
    /// - Parameters:
    ///   - decoder: The decoder with the strategies. A ``JSONValue`` needs none, and takes no notice of them.
    ///   - removingNulls: Whether members and elements that are `null` are taken out first, at any depth.
    public init(_ decoder: JSONDecoder, removingNulls: Bool = false) {
        self.decoder = decoder
        self.removesNulls = removingNulls
    }

    /// `application/json`, `text/json`, `text/javascript` and `application/*+json`.
    public var contentTypes: [MIMEType] { MIMEType.allJSON }
    /// `application/json`.
    public var accept: String { AddedFields.acceptsJSON }

    /// Decodes the body.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` that says where the body is not
    ///   JSON, or is not what `Output` needs.
    public func decode(_ response: HTTPResponse) throws -> Output {
        var data = response.data
        guard !data.isBlankText else { return try emptyValue(of: Output.self, "JSON") }
        if Output.self == JSONValue.self || self.removesNulls {
            var value = try JSONValue(parsing: data)
            if self.removesNulls { value = value.removingNulls() }
            if let value = value as? Output { return value }
            data = try value.serialized()
        }
        return try self.decoder.decodeJSON(Output.self, from: data)
    }
}

extension JSONResponseDecoder: SyntaxChecking {
    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        if !response.data.isBlankText { _ = try JSONValue(parsing: response.data) }
    }
}

/// One decoder for all requests that need no strategies of their own: making one costs more than using it.
let sharedJSONDecoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .rfc3339
    return decoder
}()

extension JSONDecoder {
    /// Decodes a value, and says in one line why it cannot.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``.
    package func decodeJSON<Value: Decodable>(_ type: Value.Type, from data: Data) throws(ErrandError) -> Value {
        func refusal(_ problem: String, _ cause: (any Error)? = nil) -> ErrandError {
            ErrandError(.decodingFailed, "not JSON for \(typeName(of: Value.self)): \(problem)", cause: cause)
        }
        var data = data.jsonInUTF8
        let survey: JSONSurvey
        do throws(TextProblem) { survey = try JSONSurvey(data) } catch { throw refusal("\(error)") }
        if survey.needsParsing {
            var parser = JSONParser(data)
            if let value = try? parser.parse() {
                if let problem = JSONTwins.problem(in: value) { throw refusal(problem) }
                if parser.hasRepeatedNames { data = try value.serialized() }
            }
        }
        do {
            return try self.decode(Value.self, from: data)
        } catch {
            let problem = DecodingProblem(error, inJSON: data) { _ = try self.decode(Value.self, from: $0) }
            throw refusal("\(problem)", error)
        }
    }
}

// MARK: - For all formats

/// What an empty body stands for: nothing, for a type that can be nothing.
///
/// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` for any other type.
func emptyValue<Value>(of type: Value.Type, _ format: String) throws(ErrandError) -> Value {
    if let type = Value.self as? any ExpressibleByNilLiteral.Type, let value = type.init(nilLiteral: ()) as? Value {
        return value
    }
    throw ErrandError(.decodingFailed, "the body is empty where \(format) for \(typeName(of: Value.self)) is needed")
}

extension Data {
    /// Whether there is nothing but white space, as some servers send it where they mean nothing.
    var isBlankText: Bool {
        self.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }
}
