internal import struct Foundation.Data

/// Why a document could not be decoded, in one line: where, what is needed there, and what is there.
struct DecodingProblem: CustomStringConvertible {
    let description: String

    /// Reads an error of a decoder, with the JSON that it had, if it was that.
    init(_ error: any Error, inJSON data: Data? = nil) {
        guard let error = error as? DecodingError else {
            self.description = "\(error)"
            return
        }
        let document: JSONValue?
        do throws(TextProblem) {
            document = try data.map { data throws(TextProblem) in try JSONValue(reading: data) }
        } catch {
            // Foundation does not say where a text is not JSON at all.
            self.description = "\(error)"
            return
        }
        self.description = Self.words(error, document)
    }

    private static func words(_ error: DecodingError, _ document: JSONValue?) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            return "at \(JSONPath(context.codingPath)) there is no \"\(key.stringValue)\""
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let path = JSONPath(context.codingPath)
            let found = document?[path].map { ", found \($0.kindInWords)" } ?? ""
            return "at \(path) expected \(Self.kind(of: type))\(found)"
        case .dataCorrupted(let context):
            return "at \(JSONPath(context.codingPath)) \(context.debugDescription)"
        @unknown default:
            return "\(error)"
        }
    }

    /// What a decoder needed: its word for objects and arrays is a type that nobody wrote.
    private static func kind(of type: any Any.Type) -> String {
        let name = typeName(of: type)
        if name.hasPrefix("Dictionary<") { return "object" }
        return name.hasPrefix("Array<") ? "array" : name
    }
}

/// The name of a type with the types that it lies in, and without its module: `GetUser.Response`.
func typeName(of type: any Any.Type) -> String {
    let (name, whole) = (String(describing: type), String(reflecting: type))
    // Names of types in a function, in a file alone or with parameters are long and tell no more.
    guard !whole.contains("<"), !whole.contains("("), let dot = whole.firstIndex(of: ".") else { return name }
    return String(whole[whole.index(after: dot)...])
}

extension JSONPath {
    fileprivate init(_ path: [any CodingKey]) {
        self.init(path.map { key in key.intValue.map { .index($0) } ?? .key(key.stringValue) })
    }
}

extension JSONValue {
    /// What kind of value it is, as JSON calls it.
    fileprivate var kindInWords: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
