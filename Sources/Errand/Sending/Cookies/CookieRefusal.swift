/// The reason for which a cookie is rejected.
package enum CookieRefusal: Error, Hashable, CaseIterable {
    /// The cookie contains a control character other than tab, or a separator.
    case illegalCharacter
    /// The cookie has no equals sign, or no name before it.
    case missingName
    /// Name and value are longer than ``StoredCookie/sizeLimit``.
    case tooLarge
    /// The domain is not a list of non-empty labels of printable ASCII, or is too long.
    case invalidDomain
    /// The host of the URL is not in the domain.
    case foreignDomain
    /// The domain is a public suffix.
    case publicSuffix
    /// The path does not start with a slash.
    case invalidPath
    /// The cookie is for `https` only and was received over `http`.
    case insecureOrigin
    /// The name starts with `__Secure-` or `__Host-`, and the cookie does not meet the prefix's requirements.
    case prefixNotKept

    /// A description of the reason.
    package var message: String {
        switch self {
        case .illegalCharacter: "its name or value contains an invalid character"
        case .missingName: "it has no name"
        case .tooLarge: "name and value are longer than \(StoredCookie.sizeLimit) bytes"
        case .invalidDomain: "its domain is not a host name in ASCII"
        case .foreignDomain: "its domain does not include the host that sets it"
        case .publicSuffix: "its domain is a public suffix"
        case .invalidPath: "its path does not start with a slash"
        case .insecureOrigin: "it is for https only and came over http"
        case .prefixNotKept: "it does not meet the requirements of its name's prefix"
        }
    }
}
