package import struct Foundation.Data
package import class Foundation.JSONDecoder

/// The strategies of a JSON decoder.
enum JSONCodingChoice: Sendable {
    /// The strategies of the client.
    case inherited
    /// Some strategies; the others are those of the client.
    case strategies(keys: JSONDecoder.KeyDecodingStrategy?, dates: JSONDecoder.DateDecodingStrategy?)
    /// All strategies.
    case own(JSONDecoder)

    /// Returns the decoder to use with the given one of the client.
    func decoder(inheriting base: JSONDecoder) -> JSONDecoder {
        switch self {
        case .inherited: return base
        case .own(let decoder): return decoder
        case .strategies(let keys, let dates):
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = keys ?? base.keyDecodingStrategy
            decoder.dateDecodingStrategy = dates ?? base.dateDecodingStrategy
            decoder.dataDecodingStrategy = base.dataDecodingStrategy
            decoder.nonConformingFloatDecodingStrategy = base.nonConformingFloatDecodingStrategy
            decoder.userInfo = base.userInfo
            decoder.allowsJSON5 = base.allowsJSON5
            decoder.assumesTopLevelDictionary = base.assumesTopLevelDictionary
            return decoder
        }
    }
}

/// Decodes a value from JSON; see ``ResponseDecoder/json``.
struct JSONBodyDecoder<Output: Decodable & Sendable>: BodyDecoder {
    private let coding: JSONCodingChoice
    private let removesNulls: Bool

    init(_ coding: JSONCodingChoice = .inherited, removingNulls: Bool = false) {
        self.coding = coding
        self.removesNulls = removingNulls
    }

    var contentTypes: [MIMEType] { MIMEType.allJSON }
    var accept: String { AddedFields.acceptsJSON }

    /// Decodes the body.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` and the position at which the body
    ///   is not JSON, or does not match `Output`.
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        var data = try response.dataInMemory()
        guard !data.isBlankText else { return try emptyValue(of: Output.self, "JSON") }
        if Output.self == JSONValue.self || self.removesNulls {
            var value = try JSONValue(parsing: data)
            if self.removesNulls { value = value.removingNulls() }
            if let value = value as? Output { return value }
            data = try value.serialized()
        }
        return try self.coding.decoder(inheriting: json).decodeJSON(Output.self, from: data)
    }
}

extension JSONBodyDecoder: SyntaxChecking {
    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        if !response.data.isBlankText { _ = try JSONValue(parsing: response.data) }
    }
}

/// One decoder for all requests without their own strategies: creating one costs more than using it.
let sharedJSONDecoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .rfc3339
    return decoder
}()

extension JSONDecoder {
    /// Decodes a value, and throws an error with a one-line reason.
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

/// Returns the value of an empty body: `nil` for an optional type.
///
/// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` for any other type.
func emptyValue<Value>(of type: Value.Type, _ format: String) throws(ErrandError) -> Value {
    if let type = Value.self as? any ExpressibleByNilLiteral.Type, let value = type.init(nilLiteral: ()) as? Value {
        return value
    }
    throw ErrandError(.decodingFailed, "the body is empty where \(format) for \(typeName(of: Value.self)) is needed")
}

extension Data {
    /// True for an empty text, or one of white space only.
    var isBlankText: Bool {
        self.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }
}
