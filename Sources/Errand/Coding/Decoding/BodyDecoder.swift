public import class Foundation.JSONDecoder

/// Makes a value from a response, behind a ``ResponseDecoder``.
@usableFromInline
protocol BodyDecoder<Output>: Sendable {
    /// The value.
    associatedtype Output: Sendable

    /// The media types that it reads; everything unless said otherwise.
    var contentTypes: [MIMEType] { get }
    /// The `Accept` field; the first of the ``contentTypes`` unless said otherwise.
    var accept: String { get }

    /// Makes the value; JSON with the strategies of a decoder, unless it has its own.
    ///
    /// - Throws: Anything; an error that is not an ``ErrandError`` becomes the cause of one with the code
    ///   ``ErrandError/Code/decodingFailed``.
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output
}

extension BodyDecoder {
    @usableFromInline var contentTypes: [MIMEType] { MIMEType.anything }
    @usableFromInline var accept: String { self.contentTypes.first?.description ?? AddedFields.acceptsAnything }
}

/// A decoder of a format, which can tell whether a body is of it at all.
///
/// That is asked for responses that are refused anyway, to say everything that is wrong with them.
protocol SyntaxChecking {
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``.
    func checkSyntax(of response: HTTPResponse) throws(ErrandError)
}

/// Calls a function.
struct CustomBodyDecoder<Output: Sendable>: BodyDecoder {
    let contentTypes: [MIMEType]
    let ownAccept: String?
    let makeValue: @Sendable (HTTPResponse) throws -> Output

    var accept: String { self.ownAccept ?? self.contentTypes.first?.description ?? AddedFields.acceptsAnything }

    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        try self.makeValue(response)
    }
}

/// Makes something else of what another decoder makes.
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
