/// The responses that an endpoint accepts; any other fails the request, with the response in the error.
///
/// The error is the first problem with a response; its ``ErrandError/cause`` is the next one. In this order:
///
/// - A status that is not accepted, with a content type that is not accepted as the cause.
/// - A content type that is not accepted; the body is then not checked.
/// - A body with invalid syntax, with a status that is not accepted as the cause.
/// - A shape that does not match, with the error of a check as the cause.
/// - The error of a check.
public struct ResponseValidation: Sendable {
    /// A custom check, which throws if it does not accept a response.
    ///
    /// An error that is not an ``ErrandError`` becomes the cause of an error with the code
    /// ``ErrandError/Code/validationFailed``. It runs on the request's own actor or, for a large body, off it.
    public typealias Check = @Sendable (HTTPResponse) throws -> Void

    /// The accepted status codes.
    public var statusCodes: any ResponseValidation.StatusCodes
    /// The accepted media types, including ``MIMEType/matches(_:)`` patterns; `nil` leaves them to the decoder.
    ///
    /// In that case, they are the ``ResponseDecoder/contentTypes`` of the endpoint's ``Endpoint/decoder``, unless the
    /// endpoint implements its own decoding. A response without a body is accepted; so is one without a type if `*/*`
    /// is accepted.
    public var contentTypes: [MIMEType]?
    /// The required shape of the JSON body; `nil` accepts any.
    ///
    /// Only a body in memory is checked. Its type has to be a JSON type, unless ``contentTypes`` says otherwise.
    public var shape: JSONValue.Shape?
    /// Custom checks, run in order until one throws.
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

    /// Accepts any status from 200 to 299, and the content types of the decoder.
    public static let success = ResponseValidation()

    /// Accepts any status and any content type.
    public static let any = ResponseValidation(statusCodes: 0...Int.max, contentTypes: MIMEType.anything)
}

extension ResponseValidation {
    /// A set of status codes: a range, a set, or a custom type.
    public protocol StatusCodes: Sendable {
        /// Returns true if a status code is in the set.
        func contains(_ statusCode: Int) -> Bool
    }
}

extension ClosedRange<Int>: ResponseValidation.StatusCodes {}
extension Range<Int>: ResponseValidation.StatusCodes {}
extension Set<Int>: ResponseValidation.StatusCodes {}
