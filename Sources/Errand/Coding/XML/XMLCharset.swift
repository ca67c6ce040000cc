internal import struct Foundation.Data

/// The charset of an XML document: external information, its byte order mark, its declaration (RFC 7303 §3).
enum XMLCharset {
    /// Returns the document in UTF-8.
    ///
    /// - Throws: ``ErrandError`` for an unknown charset, or invalid bytes.
    static func utf8(of data: Data, charset: String?) throws(ErrandError) -> [UInt8] {
        let bytes = [UInt8](data)
        let name = self.byteOrderMark(bytes) ?? charset ?? self.declared(bytes) ?? "utf-8"
        if Charset(name)?.isUTF8 == true { return bytes }
        return Array(try Charset.text(data, in: name).utf8)
    }

    private static func byteOrderMark(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return "utf-8" }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { return "utf-16" }
        return nil
    }

    /// Returns the encoding in the declaration of a document with an ASCII-compatible charset.
    private static func declared(_ bytes: [UInt8]) -> String? {
        let beginning = bytes.prefix(256)
        guard beginning.starts(with: "<?xml".utf8), let end = beginning.firstIndex(of: UInt8(ascii: ">")) else {
            return nil
        }
        let declaration = beginning[..<end]
        let name = "encoding".utf8
        guard let start = declaration.indices.first(where: { declaration[$0...].starts(with: name) }) else {
            return nil
        }
        let parts = declaration[start...].dropFirst(name.count).split(
            maxSplits: 2, omittingEmptySubsequences: false
        ) { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
        return parts.count == 3 ? String(decoding: parts[1], as: UTF8.self) : nil
    }
}
