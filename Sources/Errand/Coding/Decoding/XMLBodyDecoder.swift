internal import class Foundation.JSONDecoder

/// Decodes XML into a tree, or reads it event by event; see ``ResponseDecoder/xml(_:)``.
struct XMLBodyDecoder<Output: Sendable>: BodyDecoder {
    private let read: @Sendable (inout XMLReader) throws -> Output

    init(_ read: @escaping @Sendable (inout XMLReader) throws -> Output) {
        self.read = read
    }

    var contentTypes: [MIMEType] { MIMEType.allXML }
    /// The first two of the content types.
    var accept: String { "application/xml, text/xml" }

    /// Decodes the body; an empty one is `nil` for an optional, and an error for all other types.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` and the position at which the body
    ///   is not well-formed, and the errors of the function.
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        let data = try response.dataInMemory()
        guard !data.isEmpty else { return try emptyValue(of: Output.self, "XML") }
        var reader = try XMLReader(data, charset: response.head.contentType?.charset)
        return try self.read(&reader)
    }
}

extension XMLBodyDecoder where Output == XMLTree {
    /// Creates a decoder that returns the root element with its content.
    init() {
        self.init { reader throws(ErrandError) in try XMLTree(reading: &reader) }
    }
}

extension XMLBodyDecoder: SyntaxChecking {
    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        guard !response.data.isEmpty else { return }
        var reader = try XMLReader(response.data, charset: response.head.contentType?.charset)
        while try reader.next() != nil {}
    }
}
