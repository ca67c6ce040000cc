/// Knows the domains under which anyone can get a host, such as `com`, `co.uk` and `github.io`.
///
/// A cookie for such a domain would go to hosts of strangers, so none is taken (RFC 6265 §5.3).
package protocol PublicSuffixList: Sendable {
    /// Tells whether a domain is one of them.
    ///
    /// Called from any task, for what servers send: printable ASCII in lower case, at most 254 bytes, in labels that
    /// are not empty, without a dot at the beginning or the end. It never traps and does not block.
    func contains(_ domain: String) -> Bool
}

/// Where Errand has its list of public suffixes from.
package enum PublicSuffixes {
    /// The system's list, looked for once, by the first who asks; `nil` where there is none, as on Apple's systems.
    package static let system: (any PublicSuffixList)? = PublicSuffixLibrary()
}
