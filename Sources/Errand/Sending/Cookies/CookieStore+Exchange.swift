package import struct Foundation.Date

extension HTTPRequest {
    /// Returns this request with a store's cookies for its URL (RFC 6265 §5.4).
    ///
    /// The request's own cookies come first, and override those of the store with the same name. They are combined in
    /// one `Cookie` field, in place of the first one. Without cookies in the store, the request is unchanged.
    package func addingCookies(from store: any CookieStore) async -> HTTPRequest {
        self.adding(await store.cookies(for: self.url))
    }

    /// Returns this request with the cookies of a store.
    func adding(_ kept: [StoredCookie]) -> HTTPRequest {
        guard !kept.isEmpty else { return self }
        let own = self.headers.values(for: HTTPField.Name.cookie).filter { !$0.isEmpty }
        let names = Set(own.flatMap(Self.cookieNames))
        let added = kept.filter { !names.contains(Array($0.name.utf8)) }.map(\.pair)
        guard !added.isEmpty else { return self }
        var request = self
        request.headers[HTTPField.Name.cookie] = (own + added).joined(separator: "; ")
        return request
    }

    /// Returns the names in a `Cookie` field as bytes: canonically equivalent names are different cookies.
    private static func cookieNames(_ field: String) -> [[UInt8]] {
        field.utf8.split(separator: UInt8(ascii: ";")).map { pair in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return Array(String(Substring(name)).trimmingFieldWhitespace().utf8)
        }
    }
}

extension CookieStore {
    /// Stores all cookies that a response sets and that its server may set; others are dropped.
    ///
    /// At most 256 cookies of a response are read: storing each takes time, and a store keeps only a fraction of that
    /// number per host.
    ///
    /// - Parameters:
    ///   - head: The head of the response, whatever its status.
    ///   - url: The URL of this exchange.
    ///   - date: The time of the response.
    ///   - suffixes: The public suffixes, if they are known.
    package func receive(
        _ head: HTTPResponse.Head, for url: HTTPURL, at date: Date,
        suffixes: (any PublicSuffixList)? = PublicSuffixes.system
    ) async {
        let cookies = head.headers.values(for: HTTPField.Name.setCookie).prefix(256).compactMap { value in
            try? StoredCookie(parsing: value, for: url, at: date, suffixes: suffixes)
        }
        if !cookies.isEmpty { await self.store(cookies, from: url) }
    }
}
