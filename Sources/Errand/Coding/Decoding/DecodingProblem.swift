internal import struct Foundation.Data

/// The reason for which a document could not be decoded, on one line: the path, the expected and the actual value.
struct DecodingProblem: CustomStringConvertible {
    let description: String

    /// Creates the description of a decoder's error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - data: The JSON document, if it was one.
    ///   - decode: Decodes another document in the same way.
    init(_ error: any Error, inJSON data: Data? = nil, decodingBy decode: ((Data) throws -> Void)? = nil) {
        guard let error = error as? DecodingError else {
            self.description = "\(error)"
            return
        }
        let document: JSONValue?
        do throws(TextProblem) {
            document = try data.map { data throws(TextProblem) in try JSONValue(reading: data) }
        } catch {
            // Foundation does not report the position of invalid JSON.
            self.description = "\(error)"
            return
        }
        if case .dataCorrupted(let context) = error, context.codingPath.isEmpty, let document, let decode,
            let path = MisfitNumber.find(in: document, decodingBy: decode)
        {
            self.description = "at \(path) the number does not fit the type that is needed"
        } else {
            self.description = Self.words(error, document)
        }
    }

    private static func words(_ error: DecodingError, _ document: JSONValue?) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            return "at \(JSONValue.Path(context.codingPath)) there is no \"\(key.stringValue)\""
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let path = JSONValue.Path(context.codingPath)
            let found = document?[path].map { ", found \($0.kindInWords)" } ?? ""
            return "at \(path) expected \(Self.kind(of: type))\(found)"
        case .dataCorrupted(let context):
            return "at \(JSONValue.Path(context.codingPath)) \(context.debugDescription)"
        @unknown default:
            return "\(error)"
        }
    }

    /// Returns the kind of value that a decoder expected: for objects and arrays, Foundation reports an internal type.
    private static func kind(of type: any Any.Type) -> String {
        let name = typeName(of: type)
        if name.hasPrefix("Dictionary<") { return "object" }
        return name.hasPrefix("Array<") ? "array" : name
    }
}

/// Returns the name of a type with its enclosing types and without its module: `GetUser.Response`.
func typeName(of type: any Any.Type) -> String {
    let (name, whole) = (String(describing: type), String(reflecting: type))
    // The full names of local, private and generic types are long and not more helpful.
    guard !whole.contains("<"), !whole.contains("("), let dot = whole.firstIndex(of: ".") else { return name }
    return String(whole[whole.index(after: dot)...])
}

extension JSONValue.Path {
    fileprivate init(_ path: [any CodingKey]) {
        self.init(path.map { key in key.intValue.map { .index($0) } ?? .key(key.stringValue) })
    }
}

extension JSONValue {
    /// The kind of value in JSON terms.
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
