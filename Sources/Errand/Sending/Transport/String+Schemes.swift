extension String {
    /// An explanation for the error text of a TLS or HTTP library that was sent the other protocol; `nil` for all other
    /// texts.
    ///
    /// OpenSSL and GnuTLS report an invalid TLS record when a server speaks plain HTTP, and libcurl takes a TLS record
    /// for a response without a head.
    var summaryOfMixedUpSchemes: String? {
        let words = self.asciiLowercased()
        let ofPlainServer = [
            "wrong version number", "packet length too long", "unexpected tls packet", "unknown protocol",
        ]
        if ofPlainServer.contains(where: words.containsExactly) {
            return "the server does not speak TLS on this port: should the URL be http:// instead of https://?"
        }
        guard words.containsExactly("http/0.9") else { return nil }
        return "the response is not valid HTTP: should the URL be https:// instead of http://?"
    }
}
