package import Foundation

/// A character encoding as media types name it (RFC 9110 §8.3.2).
///
/// Those that Foundation can do on every platform, under the names that IANA registers and others in use.
package struct Charset: Sendable, Hashable {
    /// The registered name, in lower case.
    package let name: String
    private let encoding: String.Encoding

    /// Looks a name up, whatever its case; `nil` if it is not known.
    package init?(_ name: String) {
        // No name is longer; a text from outside may be, and take long to be looked up.
        guard name.utf8.count <= 64 else { return nil }
        let name = name.asciiLowercased()
        let registered = Self.aliases[name] ?? name
        guard let encoding = Self.encodings[registered] else { return nil }
        self.name = registered
        self.encoding = encoding
    }

    /// The bytes of a text, or `nil` if it has a character that the encoding does not have.
    package func encode(_ text: String) -> Data? {
        text.data(using: self.encoding)
    }

    /// The text of bytes, or `nil` if they are none in this encoding.
    package func decode(_ data: Data) -> String? {
        // Foundation leaves out what is left at the end of an incomplete character.
        data.count.isMultiple(of: self.unit) ? String(data: data, encoding: self.encoding) : nil
    }

    /// Whether it is UTF-8.
    package var isUTF8: Bool { self.encoding == .utf8 }

    /// The text of the body of a response.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` for a charset that is not known, and
    ///   for bytes that it does not allow.
    static func text(_ data: Data, in name: String) throws(ErrandError) -> String {
        guard let charset = Charset(name) else {
            throw ErrandError(.decodingFailed, "the charset \"\(name)\" is not known")
        }
        guard let text = charset.decode(data) else {
            throw ErrandError(.decodingFailed, "the body is not text in \(name)")
        }
        return text
    }

    /// The size of what a text is made of, in bytes.
    private var unit: Int {
        self.name.startsExactly(with: "utf-16") ? 2 : self.name.startsExactly(with: "utf-32") ? 4 : 1
    }

    // EUC-JP is not among them: Foundation knows it on Linux, and can neither read nor write it.
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
        // By its number: under its name Foundation has another order of characters on Linux.
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
    /// One of the encodings that Foundation has by number only: those of `CFStringEncodingExt.h`.
    fileprivate static func numbered(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }
}
