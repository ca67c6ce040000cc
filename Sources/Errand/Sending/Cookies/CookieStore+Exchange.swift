package import struct Foundation.Date

extension HTTPRequest {
    /// Answers this request with the cookies that a store has for its URL (RFC 6265 §5.4).
    ///
    /// Cookies that the request has already stay, in front of the store's and in place of those with the same name.
    /// There is one `Cookie` field then, where the first one was. Without cookies of the store's the request stays as
    /// it is.
    package func addingCookies(from store: any CookieStore) async -> HTTPRequest {
        self.adding(await store.cookies(for: self.url))
    }

    /// The same with the cookies of a store.
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

    /// The names in a `Cookie` field, as bytes: names that only look the same are different cookies.
    private static func cookieNames(_ field: String) -> [[UInt8]] {
        field.utf8.split(separator: UInt8(ascii: ";")).map { pair in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return Array(String(Substring(name)).trimmingFieldWhitespace().utf8)
        }
    }
}

extension CookieStore {
    /// Takes all cookies that a response sets and that its server may set; the others are dropped.
    ///
    /// Of more than 256 in one response the first count: a store needs time for each, and keeps no more of one host than
    /// a fraction of that.
    ///
    /// - Parameters:
    ///   - head: The head of the response, whatever its status.
    ///   - url: The URL that was asked for in this very exchange.
    ///   - date: When the response came.
    ///   - suffixes: The domains for which no cookie may be set, if they are known.
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
