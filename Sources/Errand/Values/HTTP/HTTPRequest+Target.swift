extension HTTPRequest {
    /// The target URI (RFC 9110 §7.1): the URL of the request, with the host of its own `Host` field, if any.
    ///
    /// Cached responses and partial bodies are identified by it.
    var target: HTTPURL { self.url.addressed(by: self.headers) }

    /// True if a field overrides the request method, as some frameworks support: its effect is known only to the
    /// server.
    var namesAnotherMethod: Bool {
        ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"].contains { self.headers.contains($0) }
    }
}

extension HTTPURL {
    /// Returns the URL with the host of a `Host` field; an invalid host gives a URL that is unique to that field.
    func addressed(by headers: HTTPFields) -> HTTPURL {
        guard let host = headers[HTTPField.Name.host], !host.isEmpty else { return self }
        return self.with(authority: host) ?? self.with(authority: SHA256(of: host).description) ?? self
    }

    private func with(authority: String) -> HTTPURL? {
        guard let url = try? HTTPURL(parsing: "\(self.scheme)://\(authority)\(self.requestTarget)"), !url.hasUserInfo,
            url.requestTarget == self.requestTarget
        else { return nil }
        return url.authority == self.authority ? self : url
    }
}
