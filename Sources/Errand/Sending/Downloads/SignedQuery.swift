/// Queries with signatures that change each time, of known services.
///
/// All other parameters identify the resource, and are always compared.
enum SignedQuery {
    /// The parameters of signatures in lower case, by the one with the signature; without that one, they are ordinary
    /// parameters.
    private static let parameters: [String: Set<String>] = [
        // Amazon S3, version 4, and version 2 as used by CloudFront, Google and others.
        "x-amz-signature": [
            "x-amz-algorithm", "x-amz-content-sha256", "x-amz-credential", "x-amz-date", "x-amz-expires",
            "x-amz-security-token", "x-amz-signedheaders",
        ],
        "signature": [
            "awsaccesskeyid", "expires", "googleaccessid", "key-pair-id", "ossaccesskeyid", "policy", "security-token",
            "x-amz-security-token",
        ],
        // Google Cloud Storage and Media CDN.
        "x-goog-signature": [
            "x-goog-algorithm", "x-goog-credential", "x-goog-date", "x-goog-expires", "x-goog-signedheaders",
        ],
        "edge-cache-token": [],
        // Azure: a shared access signature; GitHub adds a token to it.
        "sig": [
            "jwt", "se", "si", "sip", "ske", "skoid", "sks", "skt", "sktid", "skv", "sp", "spr", "sr", "srt", "ss",
            "st", "sv",
        ],
        // Alibaba, Tencent, Akamai, Cloudflare.
        "x-oss-signature": [
            "x-oss-additional-headers", "x-oss-credential", "x-oss-date", "x-oss-expires", "x-oss-security-token",
            "x-oss-signature-version",
        ],
        "q-signature": [
            "q-ak", "q-header-list", "q-key-time", "q-sign-algorithm", "q-sign-time", "q-url-param-list",
        ],
        "hdnea": [], "hdnts": [], "verify": [],
    ]

    /// Returns a query without the parameters of its signature.
    static func unsigned(_ query: String) -> String {
        let items = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            return (name: String(Substring(name)).asciiLowercased(), text: String(Substring(item)))
        }
        var left: Set<String> = []
        for item in items {
            if let others = Self.parameters[item.name] { left.formUnion(others.union([item.name])) }
        }
        return items.filter { !left.contains($0.name) }.map(\.text).joined(separator: "&")
    }
}
