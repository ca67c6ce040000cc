/// Makes a value from a response that has passed validation.
///
/// What an endpoint's ``Endpoint/decoder`` is, and what its ``Endpoint/decode(_:)`` can be built from.
public protocol ResponseDecoder<Output>: Sendable {
    /// What it makes.
    associatedtype Output: Sendable

    /// The media types that it reads, ``MIMEType/matches(_:)`` patterns included; everything unless said otherwise.
    ///
    /// An endpoint with this decoder takes responses of no other type, unless its ``Endpoint/validation`` names types.
    var contentTypes: [MIMEType] { get }
    /// What an endpoint with this decoder sends as `Accept`; the first of the ``contentTypes`` unless said otherwise.
    var accept: String { get }

    /// Makes the value; the content type has been looked at, and is not looked at here.
    ///
    /// - Throws: Anything; an error that is not an ``ErrandError`` becomes the cause of one with the code
    ///   ``ErrandError/Code/decodingFailed``.
    func decode(_ response: HTTPResponse) throws -> Output
}

extension ResponseDecoder {
    /// Everything.
    public var contentTypes: [MIMEType] { MIMEType.anything }
    /// The first of the content types.
    public var accept: String { self.contentTypes.first?.description ?? AddedFields.acceptsAnything }

    /// Returns a decoder that makes something else of what this one makes.
    public func map<Other>(
        _ transform: @escaping @Sendable (Output) throws -> Other
    ) -> MappedResponseDecoder<Self, Other> {
        MappedResponseDecoder(base: self, transform: transform)
    }
}

/// A decoder that makes something else of what another one makes; see ``ResponseDecoder/map(_:)``.
public struct MappedResponseDecoder<Base: ResponseDecoder, Output: Sendable>: ResponseDecoder {
    let base: Base
    let transform: @Sendable (Base.Output) throws -> Output

    /// Those of the other decoder.
    public var contentTypes: [MIMEType] { self.base.contentTypes }
    /// The `Accept` of the other decoder.
    public var accept: String { self.base.accept }

    /// Decodes, and transforms the value.
    ///
    /// - Throws: What the other decoder or the transformation throws.
    public func decode(_ response: HTTPResponse) throws -> Output {
        try self.transform(try self.base.decode(response))
    }
}

/// A decoder of a format, which can tell whether a body is of it at all.
///
/// That is asked for responses that are refused anyway, to say everything that is wrong with them.
protocol SyntaxChecking {
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``.
    func checkSyntax(of response: HTTPResponse) throws(ErrandError)
}

extension MappedResponseDecoder: SyntaxChecking {
    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        try (self.base as? any SyntaxChecking)?.checkSyntax(of: response)
    }
}

// MARK: - Content types

extension MIMEType {
    /// The patterns that all types fall under.
    static let anything: [MIMEType] = [.any]
    /// JSON under the names that it goes by.
    static let allJSON: [MIMEType] = [.json, "text/json", "text/javascript", "application/*+json"]
    /// XML under the names that it goes by (RFC 7303).
    static let allXML: [MIMEType] = ["application/xml", "text/xml", "application/*+xml"]
    /// Property lists under the names that they go by.
    static let allPropertyLists: [MIMEType] = ["application/x-plist", "application/x-apple-plist"]
}

extension HTTPResponse {
    /// Why the content type of the response is not accepted; `nil` if it is.
    ///
    /// A response without a body passes, and so does any that falls under `*/*`.
    func refusal(accepting types: [MIMEType]) -> ErrandError? {
        guard !self.hasEmptyBody, !types.contains(.any) else { return nil }
        let value = self.headers[HTTPFieldName.contentType]
        // By far the most common one, and not worth taking apart.
        if types.first == .json, let value,
            value == "application/json" || value.startsExactly(with: "application/json;")
        {
            return nil
        }
        let type = value.flatMap(MIMEType.received)
        if let type, types.contains(where: { type.matches($0) }) { return nil }
        let problem =
            type.map { "the content type \($0) is not accepted" }
            ?? value.map { "the content type \"\($0.prefix(100))\" is none" }
            ?? "the response has a body but no content type"
        let accepted = types.isEmpty ? "nothing" : types.map(\.description).joined(separator: ", ")
        return ErrandError(
            .unacceptableContentType,
            "\(problem), only \(accepted); contentTypes of the endpoint's validation says what is")
    }
}
