extension String {
    /// What the words of a library for TLS or HTTP mean that meets the other of the two; `nil` for all other words.
    ///
    /// OpenSSL and GnuTLS say that a record of TLS is none where a server speaks plain HTTP, and libcurl takes a record of
    /// TLS for a response without a head.
    var summaryOfMixedUpSchemes: String? {
        let words = self.asciiLowercased()
        let ofPlainServer = [
            "wrong version number", "packet length too long", "unexpected tls packet", "unknown protocol",
        ]
        if ofPlainServer.contains(where: words.containsExactly) {
            return "the server does not speak TLS there: is its URL http:// and not https://?"
        }
        guard words.containsExactly("http/0.9") else { return nil }
        return "the response is not valid HTTP: is the URL of the server https:// and not http://?"
    }
}
