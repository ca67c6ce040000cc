/// The placement and format of a call's parameters in its request.
///
/// ```swift
/// var options: RequestOptions { .parameterEncoding(.json) }
/// ```
///
/// Empty parameters add neither a query nor a body; for a POST with an empty form, use `body: .form([:])`.
public struct ParameterEncoding: Sendable {
    /// The placement of parameters in a request.
    public enum Placement: Sendable, Hashable {
        /// In the URL for ``ParameterEncoding/urlMethods`` and for calls with their own body, and otherwise in the
        /// body.
        case byMethod
        /// In the query of the URL.
        case url
        /// In the body; a call with its own body fails with ``ErrandError/Code/encodingFailed``.
        case body
    }

    /// The format of parameters in a body.
    public enum Content: Sendable {
        /// A form in the ``ParameterEncoding/query`` style: `application/x-www-form-urlencoded`.
        case form
        /// JSON: `application/json`.
        case json(ParameterEncoding.JSONStyle)
        /// A property list: `application/x-plist`; null and non-finite numbers are not supported.
        case propertyList(ParameterEncoding.PropertyListFormat)
    }

    /// The placement of parameters in a request.
    public var placement: Placement
    /// The format of parameters in a body.
    public var content: Content
    /// The format of parameters in a URL and in a form.
    public var query: ParameterEncoding.QueryStyle
    /// The methods whose parameters go into the URL, compared ignoring case.
    public var urlMethods: Set<HTTPMethod>

    /// Creates an encoding; values that are not given are those of the standard.
    public init(
        _ placement: Placement = .byMethod, content: Content = .form, query: ParameterEncoding.QueryStyle = .standard,
        urlMethods: Set<HTTPMethod> = [.get, .head, .delete]
    ) {
        self.placement = placement
        self.content = content
        self.query = query
        self.urlMethods = urlMethods
    }

    /// In the URL for GET, HEAD and DELETE, and in a form for all others.
    public static let standard = ParameterEncoding()
    /// In the URL, whatever the method.
    public static let url = ParameterEncoding(.url)
    /// In a form, whatever the method.
    public static let form = ParameterEncoding(.body)
    /// In the URL for GET, HEAD and DELETE, and as JSON for all others; dates have the format of RFC 3339.
    public static let json = ParameterEncoding(content: .json(.standard))
    /// In the URL for GET, HEAD and DELETE, and as an XML property list for all others.
    public static let propertyList = ParameterEncoding(content: .propertyList(.xml))

    /// Adds parameters to the URL of a request, or to its body.
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
                "the parameters would be the body, but there is a body already: remove one of them, or put the parameters into the URL (ParameterEncoding.url)"
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
