internal import Foundation

/// The charsets of texts by the names that IANA registers.
enum TextCharset {
    /// Tells whether a name is one of UTF-8.
    static func isUTF8(_ name: String) -> Bool {
        ["utf-8", "utf8", "unicode-1-1-utf-8"].contains(name.lowercased())
    }

    /// Decodes a text.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` for a charset that is not known, and for
    ///   bytes that it does not allow.
    static func text(_ data: Data, charset: String) throws(ErrandError) -> String {
        let name = charset.lowercased()
        guard let encoding = self.isUTF8(name) ? .utf8 : self.encodings[name] else {
            throw ErrandError(.decodingFailed, "the charset \"\(charset)\" is not known")
        }
        // Foundation leaves out what is left at the end of an incomplete character.
        guard data.count.isMultiple(of: self.unit(of: name)), let text = String(data: data, encoding: encoding) else {
            throw ErrandError(.decodingFailed, "the body is not text in \(charset)")
        }
        return text
    }

    /// The size of what a text in a charset is made of, in bytes.
    private static func unit(of name: String) -> Int {
        name.hasPrefix("utf-16") ? 2 : name.hasPrefix("utf-32") ? 4 : 1
    }

    private static let encodings: [String: String.Encoding] = [
        "us-ascii": .ascii, "ascii": .ascii, "ansi_x3.4-1968": .ascii, "iso646-us": .ascii,
        "iso-8859-1": .isoLatin1, "iso_8859-1": .isoLatin1, "latin1": .isoLatin1, "l1": .isoLatin1,
        "iso-8859-2": .isoLatin2, "iso_8859-2": .isoLatin2, "latin2": .isoLatin2,
        "utf-16": .utf16, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
        "utf-32": .utf32, "utf-32be": .utf32BigEndian, "utf-32le": .utf32LittleEndian,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "shift_jis": .shiftJIS, "sjis": .shiftJIS, "x-sjis": .shiftJIS, "iso-2022-jp": .iso2022JP,
        "macintosh": .macOSRoman,
        "iso-8859-3": .coreFoundation(0x0203), "iso-8859-4": .coreFoundation(0x0204),
        "iso-8859-5": .coreFoundation(0x0205), "iso-8859-6": .coreFoundation(0x0206),
        "iso-8859-7": .coreFoundation(0x0207), "iso-8859-8": .coreFoundation(0x0208),
        "iso-8859-9": .coreFoundation(0x0209), "iso-8859-15": .coreFoundation(0x020F),
        "koi8-r": .coreFoundation(0x0A02), "big5": .coreFoundation(0x0A03), "gb2312": .coreFoundation(0x0632),
        "gbk": .coreFoundation(0x0632), "gb18030": .coreFoundation(0x0632), "euc-kr": .coreFoundation(0x0940),
    ]
}

extension String.Encoding {
    /// One of the encodings that Foundation has by number only: those of `CFStringEncodingExt.h`.
    fileprivate static func coreFoundation(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }
}
