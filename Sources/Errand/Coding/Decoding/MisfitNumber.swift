internal import struct Foundation.Data

/// A number that does not fit the type it is decoded to, such as `300` for an `Int8` or `1e400` for a `Double`.
///
/// For such a document, `JSONDecoder` only reports invalid JSON. So numbers are replaced by 0, which fits every type,
/// to find out which one it is.
enum MisfitNumber {
    /// The maximum size of a document that is decoded again, a few times.
    private static let largestText = 1 << 20

    /// Finds the first number that does not fit, with members in the order of their names.
    ///
    /// - Parameters:
    ///   - document: The text.
    ///   - decode: Decodes a text.
    /// - Returns: Its path; `nil` if the text is large, or is invalid for another reason.
    /// - Complexity: Decodes the text O(log *n*) times, for *n* numbers.
    static func find(in document: JSONValue, decodingBy decode: (Data) throws -> Void) -> JSONValue.Path? {
        guard Self.fits(document, keeping: 0, decode) else { return nil }
        var numbers: [JSONValue.Path] = []
        Self.collect(document, at: [], &numbers)
        guard !numbers.isEmpty else { return nil }
        // The first `most` numbers fit, and the first `fewest` do not.
        var (most, fewest) = (0, numbers.count)
        while fewest - most > 1 {
            let middle = (most + fewest) / 2
            if Self.fits(document, keeping: middle, decode) { most = middle } else { fewest = middle }
        }
        return numbers[fewest - 1]
    }

    private static func fits(_ document: JSONValue, keeping count: Int, _ decode: (Data) throws -> Void) -> Bool {
        var left = count
        guard let data = try? Self.replacing(document, keeping: &left).serialized(), data.count <= Self.largestText
        else {
            return false
        }
        return (try? decode(data)) != nil
    }

    private static func collect(_ value: JSONValue, at steps: [JSONValue.Path.Step], _ numbers: inout [JSONValue.Path])
    {
        switch value {
        case .number: numbers.append(JSONValue.Path(steps))
        case .array(let values):
            for (index, value) in values.enumerated() { Self.collect(value, at: steps + [.index(index)], &numbers) }
        case .object(let members):
            for name in members.names {
                if let member = members[name] { Self.collect(member, at: steps + [.key(name)], &numbers) }
            }
        case .null, .bool, .string: break
        }
    }

    /// Returns the value with 0 in place of all numbers but the first ones.
    private static func replacing(_ value: JSONValue, keeping count: inout Int) -> JSONValue {
        switch value {
        case .number:
            count -= 1
            return count < 0 ? 0 : value
        case .array(let values): return .array(values.map { Self.replacing($0, keeping: &count) })
        case .object(var members):
            for name in members.names {
                if let member = members[name] { members[name] = Self.replacing(member, keeping: &count) }
            }
            return .object(members)
        case .null, .bool, .string: return value
        }
    }
}
