/// One HTTP request, ready to be sent: method, absolute URL, header fields and body (RFC 9110 §6).
///
/// Copies are cheap, and each change makes one: give a request with very many header fields all of them at once.
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

    /// Which networks it may use, where the platform can tell them apart.
    public var allowedNetworks: AllowedNetworks {
        get { self.box.parts.allowedNetworks }
        set { self.parts.allowedNetworks = newValue }
    }

    /// The trace that each attempt to send it becomes a part of.
    package var trace: RequestTrace? {
        get { self.box.parts.trace }
        set { self.parts.trace = newValue }
    }

    /// Requests pass through many hands: one pointer makes that cheap.
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

    /// Creates a request that may use some networks only.
    init(
        method: HTTPMethod, url: HTTPURL, headers: HTTPFields, body: HTTPRequest.Body, allowedNetworks: AllowedNetworks
    ) {
        self.box = Box(
            Parts(method: method, url: url, headers: headers, body: body, allowedNetworks: allowedNetworks))
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

extension HTTPRequest: CustomReflectable {
    /// A mirror of the parts.
    public var customMirror: Mirror {
        Mirror(self, children: Mirror(reflecting: self.parts).children, displayStyle: .struct)
    }
}
