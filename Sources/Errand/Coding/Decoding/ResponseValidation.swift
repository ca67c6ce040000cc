/// Which responses an endpoint accepts; anything else fails the request, with the response in the error.
///
/// What is wrong with a response is said in one error; where there is more, its ``ErrandError/cause`` has the next. In
/// this order:
///
/// - A status that is not accepted, with a content type that is not accepted as the cause.
/// - A content type that is not accepted; the body is not looked at then.
/// - A body that is not of its format at all, with a status that is not accepted as the cause.
/// - A shape that does not fit, with what a check says as the cause.
/// - What a check says.
public struct ResponseValidation: Sendable {
    /// A validator of your own: throws when it does not accept a response.
    ///
    /// An error that is not an ``ErrandError`` becomes the cause of one with the code
    /// ``ErrandError/Code/validationFailed``. It runs on the request's own actor or, for a large body, apart from it.
    public typealias Check = @Sendable (HTTPResponse) throws -> Void

    /// The status codes that are accepted.
    public var statusCodes: any ResponseValidation.StatusCodes
    /// The media types that are accepted, ``MIMEType/matches(_:)`` patterns included; nothing to leave it to the
    /// decoder.
    ///
    /// Then they are the ``ResponseDecoder/contentTypes`` of the endpoint's ``Endpoint/decoder``, for an endpoint that
    /// does not decode responses itself. A response without a body passes; so does one without a type where `*/*` is
    /// accepted.
    public var contentTypes: [MIMEType]?
    /// What the JSON of the body has to look like; `nil` for any look.
    ///
    /// Only a body that is there and in memory is looked at. Its type has to be one of JSON, if ``contentTypes`` does
    /// not say otherwise.
    public var shape: JSONValue.Shape?
    /// Validators of your own; asked in their order, until one throws.
    public var checks: [Check]

    /// Creates a validation.
    public init(
        statusCodes: any ResponseValidation.StatusCodes = 200...299, contentTypes: [MIMEType]? = nil,
        shape: JSONValue.Shape? = nil,
        checks: [Check] = []
    ) {
        self.statusCodes = statusCodes
        self.contentTypes = contentTypes
        self.shape = shape
        self.checks = checks
    }

    /// Any status from 200 to 299, and the content types of the decoder.
    public static let success = ResponseValidation()

    /// Any status, any content type.
    public static let any = ResponseValidation(statusCodes: 0...Int.max, contentTypes: MIMEType.anything)
}

extension ResponseValidation {
    /// A set of status codes: a range, a set, or a type of your own.
    public protocol StatusCodes: Sendable {
        /// Tells whether a status code is in the set.
        func contains(_ statusCode: Int) -> Bool
    }
}

extension ClosedRange<Int>: ResponseValidation.StatusCodes {}
extension Range<Int>: ResponseValidation.StatusCodes {}
extension Set<Int>: ResponseValidation.StatusCodes {}
