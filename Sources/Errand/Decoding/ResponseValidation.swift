/// Which responses an endpoint accepts; anything else fails the request, with the response in the error.
public struct ResponseValidation: Sendable {
    /// The status codes that are accepted.
    public var statusCodes: any StatusCodeSet
    /// The media types that are accepted, `type/*` included; nothing accepts all.
    ///
    /// A response without a body passes.
    public var contentTypes: [MIMEType]?

    /// Creates a validation.
    public init(statusCodes: any StatusCodeSet = 200...299, contentTypes: [MIMEType]? = nil) {
        self.statusCodes = statusCodes
        self.contentTypes = contentTypes
    }

    /// Any status from 200 to 299, any content type.
    public static let success = ResponseValidation()

    /// Any status, any content type.
    public static let any = ResponseValidation(statusCodes: 0...Int.max)

    /// - Throws: ``ErrandError`` with the code for what is not accepted.
    package func check(_ response: HTTPResponse) throws(ErrandError) {
        guard self.statusCodes.contains(response.status.rawValue) else {
            throw ErrandError(
                .unacceptableStatus, "the server answered \(response.status)")
        }
        guard let accepted = self.contentTypes, !response.hasEmptyBody else { return }
        guard let type = response.head.contentType else {
            throw ErrandError(.unacceptableContentType, "the response has a body but no content type")
        }
        guard accepted.contains(where: { type.matches($0) }) else {
            throw ErrandError(.unacceptableContentType, "the content type \(type) is not accepted")
        }
    }
}

/// A set of status codes: a range, a set, or a type of your own.
public protocol StatusCodeSet: Sendable {
    /// Tells whether a status code is in the set.
    func contains(_ statusCode: Int) -> Bool
}

extension ClosedRange<Int>: StatusCodeSet {}
extension Range<Int>: StatusCodeSet {}
extension Set<Int>: StatusCodeSet {}
