/// Decodes XML into a tree, or reads it event by event.
///
/// ```swift
/// XMLResponseDecoder { reader in
///     var count = 0
///     while let event = try reader.next() { if case .startElement("item", _) = event { count += 1 } }
///     return count
/// }
/// ```
public struct XMLResponseDecoder<Output: Sendable>: ResponseDecoder {
    private let read: @Sendable (inout XMLReader) throws -> Output

    /// Creates a decoder that makes the value from the events of the document.
    public init(_ read: @escaping @Sendable (inout XMLReader) throws -> Output) {
        self.read = read
    }

    /// `application/xml`, `text/xml` and `application/*+xml`.
    public var contentTypes: [MIMEType] { MIMEType.allXML }
    /// The first two of these.
    public var accept: String { "application/xml, text/xml" }

    /// Decodes the body; an empty one is `nil` for an optional, and an error for everything else.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` that says where the body is not
    ///   well-formed, and what the function throws.
    public func decode(_ response: HTTPResponse) throws -> Output {
        guard !response.data.isEmpty else { return try emptyValue(of: Output.self, "XML") }
        var reader = try XMLReader(response.data, charset: response.head.contentType?.charset)
        return try self.read(&reader)
    }
}

extension XMLResponseDecoder where Output == XMLTree {
    /// Creates a decoder that answers the root element, with all that is in it.
    public init() {
        self.init { reader throws(ErrandError) in try XMLTree(reading: &reader) }
    }
}

extension XMLResponseDecoder: SyntaxChecking {
    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        guard !response.data.isEmpty else { return }
        var reader = try XMLReader(response.data, charset: response.head.contentType?.charset)
        while try reader.next() != nil {}
    }
}
