/// An HTTP request, ready to be sent: method, absolute URL, header fields and body (RFC 9110 §6).
///
/// Copies are cheap, and each change makes a copy: set a large number of header fields all at once.
public struct HTTPRequest: Sendable {
    /// The request method.
    public var method: HTTPMethod {
        get { self.box.parts.method }
        set { self.parts.method = newValue }
    }

    /// The target URI, absolute.
    public var url: HTTPURL {
        get { self.box.parts.url }
        set { self.parts.url = newValue }
    }

    /// The header fields, in the order in which they are sent.
    public var headers: HTTPFields {
        get { self.box.parts.headers }
        set { self.parts.headers = newValue }
    }

    /// The content.
    public var body: HTTPRequest.Body {
        get { self.box.parts.body }
        set { self.parts.body = newValue }
    }

    /// The networks that it may use, on platforms that distinguish them.
    public var allowedNetworks: AllowedNetworks {
        get { self.box.parts.allowedNetworks }
        set { self.parts.allowedNetworks = newValue }
    }

    /// The trace for its attempts.
    package var trace: RequestTrace? {
        get { self.box.parts.trace }
        set { self.parts.trace = newValue }
    }

    /// One reference, because requests pass through many layers.
    private var box: Box

    private var parts: Parts {
        get { self.box.parts }
        set { self.box = Box(newValue) }
    }

    private struct Parts {
        var method: HTTPMethod
        var url: HTTPURL
        var headers: HTTPFields
        var body: HTTPRequest.Body
        var allowedNetworks: AllowedNetworks
        var trace: RequestTrace?
    }

    private final class Box: Sendable {
        let parts: Parts

        init(_ parts: Parts) {
            self.parts = parts
        }
    }

    /// Creates a request.
    public init(method: HTTPMethod = .get, url: HTTPURL, headers: HTTPFields = [:], body: HTTPRequest.Body = .none) {
        self.init(method: method, url: url, headers: headers, body: body, allowedNetworks: .all)
    }

    /// Creates a request restricted to some networks.
    init(
        method: HTTPMethod, url: HTTPURL, headers: HTTPFields, body: HTTPRequest.Body, allowedNetworks: AllowedNetworks
    ) {
        self.box = Box(
            Parts(method: method, url: url, headers: headers, body: body, allowedNetworks: allowedNetworks))
    }

    /// Checks that the head contains no character that would end its line.
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

extension HTTPRequest: CustomReflectable {
    /// A mirror of the parts.
    public var customMirror: Mirror {
        Mirror(self, children: Mirror(reflecting: self.parts).children, displayStyle: .struct)
    }
}
