package import Foundation

/// A character encoding, as named in media types (RFC 9110 §8.3.2).
///
/// Supported are those of Foundation on every platform, by their IANA names and common aliases.
package struct Charset: Sendable, Hashable {
    /// The registered name, in lower case.
    package let name: String
    private let encoding: String.Encoding

    /// Looks up a name, ignoring case; `nil` if it is unknown.
    package init?(_ name: String) {
        // No name is longer, and looking up a long external text is slow.
        guard name.utf8.count <= 64 else { return nil }
        let name = name.asciiLowercased()
        let registered = Self.aliases[name] ?? name
        guard let encoding = Self.encodings[registered] else { return nil }
        self.name = registered
        self.encoding = encoding
    }

    /// Returns the bytes of a text, or `nil` if it has a character that the encoding lacks.
    package func encode(_ text: String) -> Data? {
        text.data(using: self.encoding)
    }

    /// Returns the text of bytes, or `nil` if they are invalid in this encoding.
    package func decode(_ data: Data) -> String? {
        // Foundation drops an incomplete character at the end.
        data.count.isMultiple(of: self.unit) ? String(data: data, encoding: self.encoding) : nil
    }

    /// True for UTF-8.
    package var isUTF8: Bool { self.encoding == .utf8 }

    /// Returns the text of a response body.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` for an unknown charset, or invalid
    ///   bytes.
    static func text(_ data: Data, in name: String) throws(ErrandError) -> String {
        guard let charset = Charset(name) else {
            throw ErrandError(.decodingFailed, "the charset \"\(name)\" is unknown")
        }
        guard let text = charset.decode(data) else {
            throw ErrandError(.decodingFailed, "the body is not text in \(name)")
        }
        return text
    }

    /// The size of a code unit in bytes.
    private var unit: Int {
        self.name.startsExactly(with: "utf-16") ? 2 : self.name.startsExactly(with: "utf-32") ? 4 : 1
    }

    // Without EUC-JP, which Foundation lists on Linux, but can neither read nor write.
    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf-16": .utf16, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
        "utf-32": .utf32, "utf-32be": .utf32BigEndian, "utf-32le": .utf32LittleEndian,
        "us-ascii": .ascii, "iso-8859-1": .isoLatin1, "iso-8859-2": .isoLatin2,
        "iso-8859-3": .numbered(0x0203), "iso-8859-4": .numbered(0x0204), "iso-8859-5": .numbered(0x0205),
        "iso-8859-6": .numbered(0x0206), "iso-8859-7": .numbered(0x0207), "iso-8859-8": .numbered(0x0208),
        "iso-8859-9": .numbered(0x0209), "iso-8859-15": .numbered(0x020F),
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "windows-1255": .numbered(0x0505),
        "windows-1256": .numbered(0x0506), "windows-1257": .numbered(0x0507), "windows-1258": .numbered(0x0508),
        // By number, because the name means another byte order in Foundation on Linux.
        "macintosh": .numbered(0x0000), "koi8-r": .numbered(0x0A02),
        "shift_jis": .shiftJIS, "iso-2022-jp": .iso2022JP, "big5": .numbered(0x0A03), "gb2312": .numbered(0x0930),
        "gbk": .numbered(0x0421), "gb18030": .numbered(0x0632), "euc-kr": .numbered(0x0940),
    ]

    private static let aliases = [
        "utf8": "utf-8", "unicode-1-1-utf-8": "utf-8", "ascii": "us-ascii", "ansi_x3.4-1968": "us-ascii",
        "iso646-us": "us-ascii", "latin1": "iso-8859-1", "l1": "iso-8859-1", "iso_8859-1": "iso-8859-1",
        "iso8859-1": "iso-8859-1", "latin2": "iso-8859-2", "iso_8859-2": "iso-8859-2", "cp1250": "windows-1250",
        "cp1251": "windows-1251", "cp1252": "windows-1252", "cp1253": "windows-1253", "cp1254": "windows-1254",
        "mac": "macintosh", "sjis": "shift_jis", "x-sjis": "shift_jis", "ms_kanji": "shift_jis", "cp936": "gbk",
    ]
}

extension String.Encoding {
    /// Returns an encoding that Foundation has by number only, as in `CFStringEncodingExt.h`.
    fileprivate static func numbered(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }
}
