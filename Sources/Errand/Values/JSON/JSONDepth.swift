internal import struct Foundation.Data

/// Looks at how deep a JSON text goes before Foundation's parser sees it.
///
/// That has a limit of its own, of 512, but traps where a text goes beyond it and ends there (Swift 6.3.1 on Linux: 513
/// opening brackets and nothing else).
enum JSONDepth {
    /// - Throws: ``TextProblem`` where the text goes too deep.
    /// - Complexity: Linear, but for a text too short to go that deep.
    static func check(_ data: Data) throws(TextProblem) {
        guard data.count > depthLimit else { return }
        let bytes = [UInt8](data)
        var (depth, index) = (0, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = self.endOfString(bytes, index)
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                guard depth <= depthLimit else { throw TextProblem.tooDeep(bytes, index) }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            index += 1
        }
    }

    /// The index of the quotation mark that ends the string which begins at another.
    private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index
    }
}

extension TextProblem {
    fileprivate static func tooDeep(_ bytes: [UInt8], _ index: Int) -> TextProblem {
        TextProblem("arrays and objects lie more than \(depthLimit) deep in each other", in: bytes, at: index)
    }
}

extension Data {
    /// A JSON text in UTF-8, which RFC 8259 §8.1 asks for; one in UTF-16 or UTF-32 is converted.
    ///
    /// A JSON text begins with a character of ASCII, so that zeros tell them apart.
    var jsonInUTF8: Data {
        guard self.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) else { return self }
        let beginning = [UInt8](self.prefix(4))
        let encoding: String.Encoding
        switch beginning {
        case [0, 0, 0xFE, 0xFF], [0xFF, 0xFE, 0, 0]: encoding = .utf32
        case _ where beginning.starts(with: [0, 0, 0]): encoding = .utf32BigEndian
        case _ where beginning.dropFirst() == [0, 0, 0]: encoding = .utf32LittleEndian
        case _ where beginning.starts(with: [0xFE, 0xFF]) || beginning.starts(with: [0xFF, 0xFE]): encoding = .utf16
        case _ where beginning.first == 0: encoding = .utf16BigEndian
        case _ where beginning.dropFirst().first == 0: encoding = .utf16LittleEndian
        default: return self
        }
        return String(data: self, encoding: encoding).map { Data($0.utf8) } ?? self
    }
}
