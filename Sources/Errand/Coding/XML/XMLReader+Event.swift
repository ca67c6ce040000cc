extension XMLReader {
    /// One thing in an XML document, in the order in which they stand there.
    public enum Event: Sendable, Hashable {
        /// An element begins; an empty element begins and ends.
        case startElement(name: String, attributes: [XMLReader.Attribute])
        /// An element ends.
        case endElement(name: String)
        /// A text, with its references replaced; what stands in a CDATA section is an event of its own.
        case text(String)
        /// A comment.
        case comment(String)
        /// A processing instruction.
        case processingInstruction(target: String, data: String)
    }
}

extension XMLReader {
    /// One attribute of an element.
    public struct Attribute: Sendable {
        /// The name as it stands in the document, prefix included.
        public let name: String
        /// The value, with its references replaced and a space for each line break and tab (XML 1.0 §3.3.3).
        public let value: String

        /// Creates an attribute.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

extension XMLReader.Attribute: Hashable {
    /// Tells whether two attributes have the same name and value, character by character (XML 1.0 §1.2).
    public static func == (left: XMLReader.Attribute, right: XMLReader.Attribute) -> Bool {
        left.name.isExactly(right.name) && left.value.isExactly(right.value)
    }

    /// Feeds name and value to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(self.name))
        hasher.combine(ExactText(self.value))
    }
}
