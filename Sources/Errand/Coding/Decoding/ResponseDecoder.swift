package import class Foundation.JSONDecoder

/// Makes a value from a response that has passed validation.
///
/// An endpoint names one with a leading dot. The default for a `Decodable` type is `.json`.
///
/// ```swift
/// var decoder: ResponseDecoder<Response> { .json(keys: .convertFromSnakeCase, dates: .iso8601) }
/// ```
///
/// Define your own format as a static member in an extension, made from a function:
///
/// ```swift
/// extension ResponseDecoder where Output == Table {
///     static var csv: Self { Self(contentTypes: ["text/csv"]) { response in try Table(csv: response.data) } }
/// }
/// ```
public struct ResponseDecoder<Output: Sendable>: Sendable {
    @usableFromInline let base: any BodyDecoder<Output>

    @inlinable
    init(base: any BodyDecoder<Output>) {
        self.base = base
    }

    /// Creates a decoder from a function.
    ///
    /// - Parameters:
    ///   - contentTypes: The accepted media types. Defaults to all.
    ///   - accept: The value of `Accept`; `nil` sends the first of the content types.
    ///   - decode: Makes the value, in the task in which the response is decoded. An error that is not an
    ///     ``ErrandError`` becomes the cause of an error with the code ``ErrandError/Code/decodingFailed``.
    public init(
        contentTypes: [MIMEType] = [.any], accept: String? = nil,
        _ decode: @escaping @Sendable (HTTPResponse) throws -> Output
    ) {
        self.init(base: CustomBodyDecoder(contentTypes: contentTypes, ownAccept: accept, makeValue: decode))
    }

    /// The accepted media types, including ``MIMEType/matches(_:)`` patterns.
    ///
    /// An endpoint with this decoder accepts no other types, unless its ``Endpoint/validation`` names types.
    public var contentTypes: [MIMEType] { self.base.contentTypes }
    /// The `Accept` field of an endpoint with this decoder.
    public var accept: String { self.base.accept }

    /// Makes the value, without checking the content type.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``, and the errors of a custom
    ///   function.
    public func decode(_ response: HTTPResponse) throws -> Output {
        try self.base.decode(response, inheriting: JSONCoding.current.decoder)
    }

    /// Makes the value; a JSON decoder without its own strategies uses those of the given one.
    ///
    /// - Throws: The same errors as ``decode(_:)``.
    package func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        try self.base.decode(response, inheriting: json)
    }

    /// Returns a decoder that transforms the value of this one.
    ///
    /// ```swift
    /// var decoder: ResponseDecoder<[User]> { ResponseDecoder.json.map { (page: Page) in page.users } }
    /// ```
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> Other
    ) -> ResponseDecoder<Other> {
        ResponseDecoder<Other>(base: MappedBodyDecoder(base: self.base, transform: transform))
    }
}

// MARK: - Content types

extension MIMEType {
    /// The pattern that matches every type.
    static let anything: [MIMEType] = [.any]
    /// The media types of JSON.
    static let allJSON: [MIMEType] = [.json, "text/json", "text/javascript", "application/*+json"]
    /// The media types of XML (RFC 7303).
    static let allXML: [MIMEType] = ["application/xml", "text/xml", "application/*+xml"]
    /// The media types of property lists.
    static let allPropertyLists: [MIMEType] = ["application/x-plist", "application/x-apple-plist"]
}

extension HTTPResponse {
    /// Returns the error for a content type that is not accepted; `nil` if it is.
    ///
    /// A response without a body is accepted, and so is any response if `*/*` is accepted.
    func refusal(accepting types: [MIMEType]) -> ErrandError? {
        guard !self.hasEmptyBody, !types.contains(.any) else { return nil }
        let value = self.headers[HTTPField.Name.contentType]
        // The most common type, without parsing.
        if types.first == .json, let value,
            value == "application/json" || value.startsExactly(with: "application/json;")
        {
            return nil
        }
        let type = value.flatMap(MIMEType.received)
        if let type, types.contains(where: { type.matches($0) }) { return nil }
        let problem =
            type.map { "the content type \($0) is not accepted" }
            ?? value.map { "the content type \"\($0.prefix(100))\" is invalid" }
            ?? "the response has a body but no content type"
        let accepted = types.isEmpty ? "nothing" : types.map(\.description).joined(separator: ", ")
        return ErrandError(
            .unacceptableContentType,
            "\(problem), only \(accepted); change contentTypes of the endpoint's validation to accept it")
    }
}
