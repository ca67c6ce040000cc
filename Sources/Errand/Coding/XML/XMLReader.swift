public import struct Foundation.Data

/// Reads an XML document event by event (XML 1.0, fifth edition), storing only the open elements.
///
/// ```swift
/// var reader = try XMLReader(data)
/// while let event = try reader.next() { … }
/// ```
///
/// It is strict: a document that is not well-formed is an error with the position. It never loads external entities or
/// expands declared ones: a document type declaration is skipped, and a reference to an entity other than the five
/// predefined ones is an error. Prefixes stay in the names; namespaces are not resolved.
public struct XMLReader: Sendable {
    private enum Position {
        /// Before the root element. Goes to `content`.
        case prolog
        /// In the root element. Goes to `epilog`.
        case content
        /// After the root element.
        case epilog
    }

    var scanner: XMLScanner
    private var place = Position.prolog
    private var openElements: [String] = []
    /// The end of an empty element, returned by the next call.
    private var pendingEnd: String?

    /// Creates a reader of a document.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - charset: The external charset, such as that of a content type; it overrides the declaration in the document,
    ///     and is overridden by a byte order mark (RFC 7303 §3).
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` for an unknown charset.
    public init(_ data: Data, charset: String? = nil) throws(ErrandError) {
        self.scanner = XMLScanner(try XMLCharset.utf8(of: data, charset: charset))
    }

    /// Reads the next event; `nil` at the end of the document.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` and the position at which the
    ///   document is not well-formed.
    public mutating func next() throws(ErrandError) -> XMLReader.Event? {
        do throws(XMLFault) {
            return try self.readNext()
        } catch {
            throw ErrandError(.decodingFailed, "the text is not XML: \(self.scanner.problem(error))")
        }
    }

    // MARK: - Events

    private mutating func readNext() throws(XMLFault) -> XMLReader.Event? {
        if let name = self.pendingEnd.take() { return try self.end(name) }
        while true {
            guard let next = self.scanner.next else { return try self.endOfDocument() }
            guard next == UInt8(ascii: "<") else {
                if self.place == .content { return .text(try self.scanner.text()) }
                try self.space()
                continue
            }
            if let event = try self.markup() { return event }
        }
    }

    private mutating func markup() throws(XMLFault) -> XMLReader.Event? {
        if self.scanner.take("</") { return try self.endTag() }
        if self.scanner.take("<!--") { return .comment(try self.scanner.comment()) }
        if self.scanner.take("<![CDATA[") {
            guard self.place == .content else { throw self.scanner.fault("text outside of the root element") }
            return .text(try self.scanner.characters(until: "]]>", of: "a CDATA section"))
        }
        if self.scanner.take("<?") {
            guard let (target, data) = try self.scanner.instruction() else { return nil }
            return .processingInstruction(target: target, data: data)
        }
        if self.place == .prolog, self.scanner.take("<!DOCTYPE") {
            try self.scanner.skipDocumentType()
            return nil
        }
        return try self.startTag()
    }

    private mutating func startTag() throws(XMLFault) -> XMLReader.Event {
        guard self.place != .epilog else { throw self.scanner.fault("there is more than one root element") }
        guard self.openElements.count < depthLimit else {
            throw self.scanner.fault("elements are nested more than \(depthLimit) levels deep")
        }
        _ = self.scanner.take("<")
        let name = try self.scanner.name("an element")
        let (attributes, isEmpty) = try self.scanner.attributes()
        self.place = .content
        self.openElements.append(name)
        if isEmpty { self.pendingEnd = name }
        return .startElement(name: name, attributes: attributes)
    }

    private mutating func endTag() throws(XMLFault) -> XMLReader.Event {
        let name = try self.scanner.name("an element")
        self.scanner.skipSpace()
        guard self.scanner.take(">") else { throw self.scanner.unexpected("\">\"") }
        return try self.end(name)
    }

    private mutating func end(_ name: String) throws(XMLFault) -> XMLReader.Event {
        guard let open = self.openElements.popLast() else { throw self.scanner.fault("no element is open") }
        guard open.isExactly(name) else { throw self.scanner.fault("found </\(name)> instead of </\(open)>") }
        if self.openElements.isEmpty { self.place = .epilog }
        return .endElement(name: name)
    }

    private mutating func space() throws(XMLFault) {
        self.scanner.skipSpace()
        guard let next = self.scanner.next, next != UInt8(ascii: "<") else { return }
        throw self.scanner.unexpected("no text outside of the root element")
    }

    private func endOfDocument() throws(XMLFault) -> XMLReader.Event? {
        switch self.place {
        case .prolog: throw self.scanner.unexpected("a root element")
        case .content: throw self.scanner.unexpected("</\(self.openElements.last ?? "")>")
        case .epilog: return nil
        }
    }
}
