public import class Foundation.JSONDecoder

/// Makes a value from a response; the implementation of a ``ResponseDecoder``.
@usableFromInline
protocol BodyDecoder<Output>: Sendable {
    /// The value.
    associatedtype Output: Sendable

    /// The accepted media types; defaults to all.
    var contentTypes: [MIMEType] { get }
    /// The value of `Accept`; defaults to the first of the ``contentTypes``.
    var accept: String { get }

    /// Makes the value; JSON uses the strategies of the given decoder, unless it has its own.
    ///
    /// - Throws: Any error; one that is not an ``ErrandError`` becomes the cause of an error with the code
    ///   ``ErrandError/Code/decodingFailed``.
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output
}

extension BodyDecoder {
    @usableFromInline var contentTypes: [MIMEType] { MIMEType.anything }
    @usableFromInline var accept: String { self.contentTypes.first?.description ?? AddedFields.acceptsAnything }
}

/// A decoder of a format that can check whether a body has valid syntax.
///
/// It is used for responses that are rejected anyway, to report all their problems.
protocol SyntaxChecking {
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``.
    func checkSyntax(of response: HTTPResponse) throws(ErrandError)
}

/// A decoder that calls a function.
struct CustomBodyDecoder<Output: Sendable>: BodyDecoder {
    let contentTypes: [MIMEType]
    let ownAccept: String?
    let makeValue: @Sendable (HTTPResponse) throws -> Output

    var accept: String { self.ownAccept ?? self.contentTypes.first?.description ?? AddedFields.acceptsAnything }

    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        try self.makeValue(response)
    }
}

/// A decoder that transforms the value of another decoder.
struct MappedBodyDecoder<Value: Sendable, Output: Sendable>: BodyDecoder, SyntaxChecking {
    let base: any BodyDecoder<Value>
    let transform: @Sendable (Value) throws -> Output

    var contentTypes: [MIMEType] { self.base.contentTypes }
    var accept: String { self.base.accept }

    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        try self.transform(try self.base.decode(response, inheriting: json))
    }

    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        try (self.base as? any SyntaxChecking)?.checkSyntax(of: response)
    }
}
