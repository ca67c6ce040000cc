/// Scans the parts of an XML document from its UTF-8 bytes.
struct XMLScanner: Sendable {
    private let bytes: [UInt8]
    private(set) var index = 0
    private let start: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        self.index = self.start
    }

    // MARK: - Bytes

    var next: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard self.index + count <= self.bytes.count else { return false }
        let (bytes, index) = (self.bytes, self.index)
        let isThere = text.withUTF8Buffer { unsafe bytes[index..<index + count].elementsEqual($0) }
        if isThere { self.index += count }
        return isThere
    }

    mutating func skipSpace() {
        while let next = self.next, next.isXMLSpace { self.index += 1 }
    }

    func fault(_ message: String) -> XMLFault {
        XMLFault(index: self.index, message: message)
    }

    func unexpected(_ expected: String) -> XMLFault {
        self.fault("expected \(expected), found \(TextProblem.name(of: self.next))")
    }

    func problem(_ fault: XMLFault) -> TextProblem {
        TextProblem(fault.message, in: self.bytes, at: fault.index)
    }

    // MARK: - Names and texts

    /// Reads a name (XML 1.0 §2.3).
    mutating func name(_ owner: String) throws(XMLFault) -> String {
        let start = self.index
        while let next = self.next, next.mayStandInXMLName { self.index += 1 }
        let bytes = self.bytes[start..<self.index]
        guard let first = bytes.first else { throw self.unexpected("the name of \(owner)") }
        guard !first.isXMLNameContinuation, let name = String(validUTF8: bytes),
            name.unicodeScalars.allSatisfy(\.mayStandInXMLName), name.unicodeScalars.first?.mayBeginXMLName == true
        else { throw XMLFault(index: start, message: "the name of \(owner) is invalid") }
        return name
    }

    /// Reads text up to the next markup, with its references replaced.
    mutating func text() throws(XMLFault) -> String {
        try self.characters { $0 == UInt8(ascii: "<") }
    }

    /// Reads characters up to and including an end marker; references are not replaced.
    mutating func characters(until end: StaticString, of owner: String) throws(XMLFault) -> String {
        let start = self.index
        let first = unsafe end.utf8Start.pointee
        while let next = self.next {
            let here = self.index
            if next == first, self.take(end) { return try self.plain(start..<here) }
            self.index += 1
        }
        throw self.fault("\(owner) does not end")
    }

    /// Reads the content of a comment, after its start.
    mutating func comment() throws(XMLFault) -> String {
        let text = try self.characters(until: "--", of: "a comment")
        guard self.take(">") else { throw self.fault("\"--\" stands in a comment") }
        return text
    }

    /// Reads a processing instruction after its start; `nil` for the XML declaration.
    mutating func instruction() throws(XMLFault) -> (target: String, data: String)? {
        let start = self.index - 2
        let target = try self.name("a processing instruction")
        let hasSpace = self.next?.isXMLSpace == true
        self.skipSpace()
        let data = try self.characters(until: "?>", of: "a processing instruction")
        guard hasSpace || data.isEmpty else {
            throw XMLFault(index: start, message: "there is no space after the name of a processing instruction")
        }
        guard target.isEqualIgnoringASCIICase(to: "xml") else { return (target, data) }
        guard start == self.start, target == "xml" else {
            throw XMLFault(index: start, message: "an XML declaration is only allowed at the beginning")
        }
        return nil
    }

    // MARK: - Tags

    /// Reads the attributes of a start tag, and its end.
    mutating func attributes() throws(XMLFault) -> (attributes: [XMLReader.Attribute], isEmpty: Bool) {
        var attributes: [XMLReader.Attribute] = []
        var names: Set<ExactText> = []
        while true {
            let hasSpace = self.next?.isXMLSpace == true
            self.skipSpace()
            if self.take(">") { return (attributes, false) }
            if self.take("/>") { return (attributes, true) }
            guard hasSpace else { throw self.unexpected("a space, \">\" or \"/>\"") }
            let attribute = try self.attribute()
            guard names.insert(ExactText(attribute.name)).inserted else {
                throw self.fault("the attribute \(attribute.name) is repeated")
            }
            attributes.append(attribute)
        }
    }

    private mutating func attribute() throws(XMLFault) -> XMLReader.Attribute {
        let name = try self.name("an attribute")
        self.skipSpace()
        guard self.take("=") else { throw self.unexpected("\"=\"") }
        self.skipSpace()
        guard let quote = self.next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw self.unexpected("a quoted value")
        }
        self.index += 1
        let value = try self.characters(isAttribute: true) { $0 == quote }
        guard self.next == quote else { throw self.fault("the value of the attribute \(name) does not end") }
        self.index += 1
        return XMLReader.Attribute(name: name, value: value)
    }

    /// Skips a document type declaration after its start.
    mutating func skipDocumentType() throws(XMLFault) {
        var isInSubset = false
        while let next = self.next {
            self.index += 1
            switch next {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): try self.skip(to: next)
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: "<"):
                if self.take("!--") { _ = try self.comment() }
                if self.take("?") { _ = try self.characters(until: "?>", of: "a processing instruction") }
            case UInt8(ascii: ">") where !isInSubset: return
            default: break
            }
        }
        throw self.fault("the document type declaration does not end")
    }

    private mutating func skip(to quote: UInt8) throws(XMLFault) {
        guard let end = self.bytes[self.index...].firstIndex(of: quote) else {
            throw self.fault("a quoted text does not end")
        }
        self.index = end + 1
    }

    // MARK: - Characters

    private mutating func characters(
        isAttribute: Bool = false, _ isEnd: (UInt8) -> Bool
    ) throws(XMLFault) -> String {
        var text = ""
        var start = self.index
        while let next = self.next, !isEnd(next) {
            switch next {
            case UInt8(ascii: "&"):
                text += try self.plain(start..<self.index, isAttribute: isAttribute)
                text.unicodeScalars.append(try self.reference())
                start = self.index
            case UInt8(ascii: "<"): throw self.fault("\"<\" is not allowed in the value of an attribute")
            case UInt8(ascii: "]") where !isAttribute && self.bytes[self.index...].starts(with: "]]>".utf8):
                throw self.fault("\"]]>\" stands in a text")
            default: self.index += 1
            }
        }
        return text + (try self.plain(start..<self.index, isAttribute: isAttribute))
    }

    /// Returns the text of bytes without references; each line break is a line feed (XML 1.0 §2.11).
    private func plain(_ range: Range<Int>, isAttribute: Bool = false) throws(XMLFault) -> String {
        guard let text = String(validUTF8: self.bytes[range]) else {
            throw XMLFault(index: range.lowerBound, message: "a text is not UTF-8")
        }
        guard text.unicodeScalars.allSatisfy(\.isXMLCharacter) else {
            throw XMLFault(index: range.lowerBound, message: "a text has a character that XML does not allow")
        }
        var scalars = text.unicodeScalars
        if scalars.contains("\r") {
            var isBehindReturn = false
            scalars = String.UnicodeScalarView(
                scalars.compactMap { scalar in
                    defer { isBehindReturn = scalar == "\r" }
                    if scalar == "\r" { return "\n" }
                    return scalar == "\n" && isBehindReturn ? nil : scalar
                })
        }
        guard isAttribute else { return String(scalars) }
        return String(String.UnicodeScalarView(scalars.map { $0 == "\n" || $0 == "\t" ? " " : $0 }))
    }

    /// Reads a reference to a character or to one of the five entities.
    private mutating func reference() throws(XMLFault) -> Unicode.Scalar {
        let start = self.index
        // The maximum length of a reference, apart from leading zeros; without a limit, each "&" would search the whole
        // rest.
        guard let end = self.bytes[start...].prefix(64).firstIndex(of: UInt8(ascii: ";")) else {
            throw self.fault("\"&\" does not begin a reference")
        }
        let name = String(decoding: self.bytes[start + 1..<end], as: UTF8.self)
        self.index = end + 1
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        case _ where name.startsExactly(with: "#x"):
            if let scalar = Self.character(name.dropFirst(2), radix: 16) { return scalar }
        case _ where name.startsExactly(with: "#"):
            if let scalar = Self.character(name.dropFirst(), radix: 10) { return scalar }
        default:
            throw XMLFault(
                index: start,
                message: "the entity \"\(name)\" is unknown: entities that the document declares are not supported")
        }
        throw XMLFault(index: start, message: "there is no character for \"&\(name);\"")
    }

    private static func character(_ digits: Substring, radix: Int) -> Unicode.Scalar? {
        // The digits must not start with a sign.
        guard digits.utf8.first != UInt8(ascii: "+"), let value = UInt32(digits, radix: radix),
            let scalar = Unicode.Scalar(value), scalar.isXMLCharacter
        else { return nil }
        return scalar
    }
}

/// A fault of a document, with the position of its byte.
struct XMLFault: Error {
    let index: Int
    let message: String
}

extension UInt8 {
    fileprivate var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

    fileprivate var mayStandInXMLName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...:
            true
        default: self.isXMLNameContinuation
        }
    }

    /// True if it is allowed in a name, but not as its first character.
    fileprivate var isXMLNameContinuation: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// True if XML allows it (XML 1.0 §2.2).
    fileprivate var isXMLCharacter: Bool {
        switch self.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// True if it is allowed as the first character of a name, provided that it is allowed in one.
    fileprivate var mayBeginXMLName: Bool {
        switch self.value {
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: false
        default: true
        }
    }

    /// True if it is allowed in a name (XML 1.0 §2.3).
    fileprivate var mayStandInXMLName: Bool {
        switch self.value {
        case 0..<0x80, 0xB7, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x203F...0x2040,
            0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        default: false
        }
    }
}
