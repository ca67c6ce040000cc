extension XMLReader {
    /// An event in an XML document, in document order.
    public enum Event: Sendable, Hashable {
        /// The start of an element; an empty element has a start and an end.
        case startElement(name: String, attributes: [XMLReader.Attribute])
        /// The end of an element.
        case endElement(name: String)
        /// A text, with its references replaced; a CDATA section is a separate event.
        case text(String)
        /// A comment.
        case comment(String)
        /// A processing instruction.
        case processingInstruction(target: String, data: String)
    }
}

extension XMLReader {
    /// An attribute of an element.
    public struct Attribute: Sendable {
        /// The name as written in the document, including its prefix.
        public let name: String
        /// The value, with its references replaced and line breaks and tabs as spaces (XML 1.0 §3.3.3).
        public let value: String

        /// Creates an attribute.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

extension XMLReader.Attribute: Hashable {
    /// Returns true if two attributes have the same name and value, character by character (XML 1.0 §1.2).
    public static func == (left: XMLReader.Attribute, right: XMLReader.Attribute) -> Bool {
        left.name.isExactly(right.name) && left.value.isExactly(right.value)
    }

    /// Feeds name and value to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(self.name))
        hasher.combine(ExactText(self.value))
    }
}
