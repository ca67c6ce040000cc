internal import Errand

/// Reads queries whose arrays have indices, or none in them: the other way round, written apart from what writes them.
///
/// All leaves are texts: a query has no other types.
enum QueryReader {
    /// A place of the tree that is being read.
    private final class Place {
        var leaf: Parameters.Value?
        var members: [(name: String, place: Place)] = []

        func member(_ name: String, isNew: Bool) -> Place {
            if !isNew, let known = self.members.first(where: { $0.name == name }) { return known.place }
            let place = Place()
            self.members.append((name, place))
            return place
        }

        var value: Parameters.Value {
            if let leaf = self.leaf { return leaf }
            let isArray = self.members.allSatisfy { $0.name.isEmpty || Int($0.name) != nil }
            if isArray { return .array(self.members.map(\.place.value)) }
            return .object(Parameters(self.members.map { ($0.name, $0.place.value) }))
        }
    }

    /// Reads a query; what cannot be read is left out, so that it is missed.
    static func read(_ query: String, plusIsSpace: Bool = false) -> Parameters {
        let root = Place()
        for item in query.split(separator: "&", omittingEmptySubsequences: true) {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { decode($0, plusIsSpace) }
            var place = root
            // Only the innermost array without an index gets a new element.
            for part in path(texts[0]) { place = place.member(part, isNew: part.isEmpty) }
            place.leaf = texts.count > 1 ? .string(texts[1]) : .null
        }
        return Parameters(root.members.map { ($0.name, $0.place.value) })
    }

    /// Takes `a[b][0]` apart, byte by byte: an accent must not keep a bracket from being one.
    private static func path(_ name: String) -> [String] {
        guard name.utf8.last == UInt8(ascii: "]"), let bracket = name.utf8.firstIndex(of: UInt8(ascii: "[")) else {
            return [name]
        }
        let parts = name.utf8[bracket...].split(separator: UInt8(ascii: "["))
        return [String(name[..<bracket])] + parts.map { String(decoding: $0.dropLast(), as: UTF8.self) }
    }

    private static func decode(_ text: Substring, _ plusIsSpace: Bool) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2 {
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
