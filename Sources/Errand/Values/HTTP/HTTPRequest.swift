/// One HTTP request, ready to be sent: method, absolute URL, header fields and body (RFC 9110 §6).
public struct HTTPRequest: Sendable {
    /// The request method.
    public var method: HTTPMethod
    /// The target URI, absolute.
    public var url: HTTPURL
    /// The header fields, in the order in which they are sent.
    public var headers: HTTPFields
    /// The content.
    public var body: HTTPBody
    /// Which networks it may use, where the platform can tell them apart.
    public var allowedNetworks = AllowedNetworks.all
    /// The trace that each attempt to send it becomes a part of.
    package var trace: RequestTrace?

    /// Creates a request.
    public init(method: HTTPMethod = .get, url: HTTPURL, headers: HTTPFields = [:], body: HTTPBody = .none) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Checks that nothing in the head can break out of its line.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest``.
    package func validate() throws(ErrandError) {
        guard self.method.isValid else {
            throw ErrandError(.invalidRequest, "\"\(self.method.rawValue)\" is not a method: RFC 9110 allows a token")
        }
        do {
            try self.headers.validate()
        } catch {
            throw ErrandError(.invalidRequest, error.message)
        }
    }
}
