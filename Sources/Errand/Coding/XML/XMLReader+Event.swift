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
    public struct Attribute: Sendable, Hashable {
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
