/// The place of the parameters of a call in its request, and their form there.
///
/// ```swift
/// var options: RequestOptions { .parameterEncoding(.json) }
/// ```
///
/// Without parameters nothing is added at all: a POST with an empty form is written `body: .form([:])`.
public struct ParameterEncoding: Sendable {
    /// The place of parameters in a request.
    public enum Placement: Sendable, Hashable {
        /// Into the URL for ``ParameterEncoding/urlMethods`` and for calls that have a body of their own, into the body
        /// for all others.
        case byMethod
        /// Into the query of the URL.
        case url
        /// Into the body; a call that has one of its own fails with ``ErrandError/Code/encodingFailed``.
        case body
    }

    /// The form of parameters in a body.
    public enum Content: Sendable {
        /// A form, as the ``ParameterEncoding/query`` style says: `application/x-www-form-urlencoded`.
        case form
        /// JSON: `application/json`.
        case json(ParameterEncoding.JSONStyle)
        /// A property list: `application/x-plist`; null and numbers that are not finite have no place in one.
        case propertyList(ParameterEncoding.PropertyListFormat)
    }

    /// The place of parameters in a request.
    public var placement: Placement
    /// The form of parameters in a body.
    public var content: Content
    /// The spelling of parameters in a URL and in a form.
    public var query: ParameterEncoding.QueryStyle
    /// The methods whose parameters go into the URL; their names are compared without regard to case.
    public var urlMethods: Set<HTTPMethod>

    /// Creates an encoding; the standard one but for what is given.
    public init(
        _ placement: Placement = .byMethod, content: Content = .form, query: ParameterEncoding.QueryStyle = .standard,
        urlMethods: Set<HTTPMethod> = [.get, .head, .delete]
    ) {
        self.placement = placement
        self.content = content
        self.query = query
        self.urlMethods = urlMethods
    }

    /// In the URL for GET, HEAD and DELETE, in a form for all others.
    public static let standard = ParameterEncoding()
    /// In the URL, whatever the method.
    public static let url = ParameterEncoding(.url)
    /// In a form, whatever the method.
    public static let form = ParameterEncoding(.body)
    /// In the URL for GET, HEAD and DELETE, as JSON for all others; dates as RFC 3339 says.
    public static let json = ParameterEncoding(content: .json(.standard))
    /// In the URL for GET, HEAD and DELETE, as a property list in XML for all others.
    public static let propertyList = ParameterEncoding(content: .propertyList(.xml))

    /// Puts parameters where they belong: into the URL of a request, or into its body.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``.
    package func place(
        _ parameters: Parameters, in request: inout HTTPRequest, _ body: inout RequestBody
    ) throws(ErrandError) {
        guard !self.goIntoURL(request.method, body) else {
            return request.url = request.url.appendingQuery(try parameters.query(self.query))
        }
        guard body.isNone else {
            throw ErrandError(
                .encodingFailed,
                "the parameters are to be the body, and there is a body as well: leave out one of them, or put parameters into the URL (ParameterEncoding.url)"
            )
        }
        body =
            switch self.content {
            case .form: .form(parameters, style: self.query)
            case .json(let style): .json(parameters, style: style)
            case .propertyList(let format): .propertyList(parameters, format: format)
            }
    }

    private func goIntoURL(_ method: HTTPMethod, _ body: RequestBody) -> Bool {
        switch self.placement {
        case .url: true
        case .body: false
        case .byMethod:
            !body.isNone || self.urlMethods.contains(method)
                || self.urlMethods.contains { $0.rawValue.isEqualIgnoringASCIICase(to: method.rawValue) }
        }
    }
}
