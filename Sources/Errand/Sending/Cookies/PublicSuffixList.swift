/// A list of public suffixes, the domains under which anyone can register a host, such as `com`, `co.uk` and
/// `github.io`.
///
/// A cookie for such a domain would be sent to unrelated hosts, so it is rejected (RFC 6265 §5.3).
package protocol PublicSuffixList: Sendable {
    /// Returns true if a domain is a public suffix.
    ///
    /// Called from any task, with domains that servers send: printable ASCII in lower case, at most 254 bytes, in
    /// non-empty labels, without leading or trailing dot. It must not trap or block.
    func contains(_ domain: String) -> Bool
}

/// The source of Errand's public suffix list.
package enum PublicSuffixes {
    /// The system's list, loaded on first use; `nil` if there is none, as on Apple platforms.
    package static let system: (any PublicSuffixList)? = PublicSuffixLibrary()
}
