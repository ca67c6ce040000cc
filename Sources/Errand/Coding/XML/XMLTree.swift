public import struct Foundation.Data

/// An element of an XML document with its content; the root represents the document.
///
/// ```swift
/// let feed = try XMLTree(parsing: data)
/// let titles = feed["channel"]?.children(named: "item").compactMap { $0["title"]?.text }
/// ```
///
/// It is read by ``XMLReader``, with its limits. Comments and processing instructions are dropped. Names are compared
/// by code points (XML 1.0 §1.2).
public struct XMLTree: Sendable {
    /// A child node of an element.
    public enum Node: Sendable {
        /// A child element.
        case element(XMLTree)
        /// A text; adjacent texts are merged.
        case text(String)
    }

    /// The name as written in the document, including its prefix.
    public var name: String
    /// The attributes in their order.
    public var attributes: [XMLReader.Attribute]
    /// The child nodes in order, including white space.
    public var nodes: [Node]

    /// Creates an element.
    public init(name: String, attributes: [XMLReader.Attribute] = [], nodes: [Node] = []) {
        self.name = name
        self.attributes = attributes
        self.nodes = nodes
    }

    // MARK: - Looking into it

    /// The child elements in order.
    public var children: [XMLTree] {
        self.nodes.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Returns the child elements with a name, in order.
    public func children(named name: String) -> [XMLTree] {
        self.children.filter { $0.name.isExactly(name) }
    }

    /// The first element with a name, or at a path of names; `nil` if there is none.
    public subscript(names: String...) -> XMLTree? {
        names.reduce(self as XMLTree?) { $0?.children.first(named: $1) }
    }

    /// The text of the element and its descendants, without surrounding white space.
    public var text: String {
        let text = self.rawText.unicodeScalars
        guard let first = text.firstIndex(where: { !$0.isXMLSpace }),
            let last = text.lastIndex(where: { !$0.isXMLSpace })
        else { return "" }
        return String(text[first...last])
    }

    /// Returns the value of an attribute; `nil` if there is none with the name.
    public func attribute(_ name: String) -> String? {
        self.attributes.first { $0.name.isExactly(name) }?.value
    }

    private var rawText: String {
        self.nodes.reduce(into: "") { text, node in
            switch node {
            case .text(let part): text += part
            case .element(let element): text += element.rawText
            }
        }
    }
}

extension [XMLTree] {
    fileprivate func first(named name: String) -> XMLTree? { self.first { $0.name.isExactly(name) } }
}

extension Unicode.Scalar {
    fileprivate var isXMLSpace: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" }
}

// MARK: - Equality

extension XMLTree: Hashable {
    /// Returns true if two elements are equal, character by character (XML 1.0 §1.2).
    public static func == (left: XMLTree, right: XMLTree) -> Bool {
        left.name.isExactly(right.name) && left.attributes == right.attributes && left.nodes == right.nodes
    }

    /// Feeds the element to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(self.name))
        hasher.combine(self.attributes)
        hasher.combine(self.nodes)
    }
}

extension XMLTree.Node: Hashable {
    /// Returns true if two nodes are equal, character by character (XML 1.0 §1.2).
    public static func == (left: XMLTree.Node, right: XMLTree.Node) -> Bool {
        switch (left, right) {
        case (.element(let left), .element(let right)): left == right
        case (.text(let left), .text(let right)): left.isExactly(right)
        default: false
        }
    }

    /// Feeds the node to a hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .element(let element): hasher.combine(element)
        case .text(let text): hasher.combine(ExactText(text))
        }
    }
}

// MARK: - Reading

extension XMLTree {
    /// Parses a document.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - charset: The external charset; see ``XMLReader``.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` and the position at which the
    ///   document is not well-formed.
    public init(parsing data: Data, charset: String? = nil) throws(ErrandError) {
        var reader = try XMLReader(data, charset: charset)
        try self.init(reading: &reader)
    }

    /// Reads a document to its end.
    init(reading reader: inout XMLReader) throws(ErrandError) {
        var (open, root): ([XMLTree], XMLTree?) = ([], nil)
        while let event = try reader.next() {
            switch event {
            case .startElement(let name, let attributes): open.append(XMLTree(name: name, attributes: attributes))
            case .text(let text): open[open.count - 1].append(text)
            case .endElement:
                guard let element = open.popLast() else { continue }
                if open.isEmpty { root = element } else { open[open.count - 1].nodes.append(.element(element)) }
            case .comment, .processingInstruction: continue
            }
        }
        guard let root else { throw ErrandError(.decodingFailed, "the text is not XML: there is no root element") }
        self = root
    }

    private mutating func append(_ text: String) {
        guard case .text(var before)? = self.nodes.last else { return self.nodes.append(.text(text)) }
        // Only `before` holds the text then, so that it grows in place, in however many pieces it comes.
        self.nodes.removeLast()
        before += text
        self.nodes.append(.text(before))
    }
}
