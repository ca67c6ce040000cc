extension HTTPRequest {
    /// The URL whose resource is asked for (RFC 9110 §7.1): that of the request, with the host of a `Host` field of its own.
    ///
    /// By this is known what is known of a resource: what is stored of it, and what has come or gone of a body.
    var target: HTTPURL { self.url.addressed(by: self.headers) }

    /// Whether a field names another method than that of the request, as some frameworks take it: nobody but the server
    /// knows what that does.
    var namesAnotherMethod: Bool {
        ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"].contains { self.headers.contains($0) }
    }
}

extension HTTPURL {
    /// This URL with the host of a `Host` field; one that no URL can have gives a URL that no other field gives.
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
