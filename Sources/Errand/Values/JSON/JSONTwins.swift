internal import struct Foundation.Data

/// Finds members of one object whose names differ, but which Foundation's decoder takes for one.
///
/// It keeps members in a dictionary with keys of type `String`, where two spellings of the same characters are one key.
enum JSONTwins {
    /// Returns what is wrong with a text, with the path of the object; `nil` where nothing is, or where it is not JSON.
    ///
    /// - Complexity: Linear; a text is parsed only if a name has another character than those of ASCII.
    static func problem(in data: Data) -> String? {
        guard Self.mayHaveTwins([UInt8](data)), let value = try? JSONValue(parsing: data),
            let twin = Self.find(in: value)
        else { return nil }
        return "at \(twin.path) \"\(twin.name)\" is there in two spellings, which JSONDecoder takes for one name"
    }

    /// Whether a name has a byte outside of ASCII, or an escape for a character.
    private static func mayHaveTwins(_ bytes: [UInt8]) -> Bool {
        var (index, isUnusual) = (0, false)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                isUnusual = false
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    let isEscape = bytes[index] == UInt8(ascii: "\\")
                    if isEscape || bytes[index] >= 0x80 { isUnusual = true }
                    index += isEscape ? 2 : 1
                }
            case UInt8(ascii: ":"): if isUnusual { return true }
            case 0x20, 0x0A, 0x0D, 0x09: break
            default: isUnusual = false
            }
            index += 1
        }
        return false
    }

    private static func find(in value: JSONValue) -> (path: JSONPath, name: String)? {
        switch value {
        case .object(let members):
            if let name = members.twin { return ([], name) }
            for (name, member) in members {
                if let twin = Self.find(in: member, behind: .key(name)) { return twin }
            }
        case .array(let values):
            for (index, value) in values.enumerated() {
                if let twin = Self.find(in: value, behind: .index(index)) { return twin }
            }
        default: break
        }
        return nil
    }

    private static func find(in value: JSONValue, behind step: JSONPath.Step) -> (path: JSONPath, name: String)? {
        Self.find(in: value).map { (JSONPath([step] + $0.path.steps), $0.name) }
    }
}

extension JSONValue.Members {
    /// A name that is there in two spellings of the same characters.
    var twin: String? {
        let names = self.names
        guard names.contains(where: { !$0.utf8.allSatisfy { $0 < 0x80 } }) else { return nil }
        var seen: Set<String> = []
        return names.first { !seen.insert($0).inserted }
    }
}
