package import class Foundation.JSONDecoder

/// Makes a value from a response that has passed validation.
///
/// An endpoint names one by a leading dot. `.json` is the one of each `Decodable` type that names none.
///
/// ```swift
/// var decoder: ResponseDecoder<Response> { .json(keys: .convertFromSnakeCase, dates: .iso8601) }
/// ```
///
/// A format of your own is a static member in an extension, made from a function:
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
    ///   - contentTypes: The media types that it reads; everything unless said otherwise.
    ///   - accept: What is sent as `Accept`; `nil` sends the first of the content types.
    ///   - decode: Makes the value, in whichever task the response is decoded. An error that is not an ``ErrandError``
    ///     becomes the cause of one with the code ``ErrandError/Code/decodingFailed``.
    public init(
        contentTypes: [MIMEType] = [.any], accept: String? = nil,
        _ decode: @escaping @Sendable (HTTPResponse) throws -> Output
    ) {
        self.init(base: CustomBodyDecoder(contentTypes: contentTypes, ownAccept: accept, makeValue: decode))
    }

    /// The media types that it reads, ``MIMEType/matches(_:)`` patterns included.
    ///
    /// An endpoint with this decoder takes responses of no other type, unless its ``Endpoint/validation`` names types.
    public var contentTypes: [MIMEType] { self.base.contentTypes }
    /// The `Accept` field of an endpoint with this decoder.
    public var accept: String { self.base.accept }

    /// Makes the value; the content type is not looked at here.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``, and what a function of your own
    ///   throws.
    public func decode(_ response: HTTPResponse) throws -> Output {
        try self.base.decode(response, inheriting: JSONCoding.current.decoder)
    }

    /// Makes the value with the strategies of a JSON decoder where this one is of JSON, and has none of its own.
    ///
    /// - Throws: As ``decode(_:)`` does.
    package func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        try self.base.decode(response, inheriting: json)
    }

    /// Returns a decoder that makes something else of what this one makes.
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
        let value = self.headers[HTTPField.Name.contentType]
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
