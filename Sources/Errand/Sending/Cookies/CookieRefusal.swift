/// Why a cookie is not taken.
package enum CookieRefusal: Error, Hashable, CaseIterable {
    /// There is a control character other than tab, or what separates cookies or names from values.
    case illegalCharacter
    /// There is no equals sign, or no name before it.
    case missingName
    /// Name and value are longer than ``StoredCookie/sizeLimit``.
    case tooLarge
    /// The domain is not printable ASCII in labels that are not empty, or is too long for a domain.
    case invalidDomain
    /// The host that was asked is not in the domain.
    case foreignDomain
    /// Anyone can get a host in the domain.
    case publicSuffix
    /// The path does not start with a slash.
    case invalidPath
    /// It is for `https` only and came over `http`.
    case insecureOrigin
    /// The name starts with `__Secure-` or `__Host-`, and the cookie does not keep what that promises.
    case prefixNotKept

    /// The reason in words.
    package var message: String {
        switch self {
        case .illegalCharacter: "its name or value has a character that a cookie must not have"
        case .missingName: "it has no name"
        case .tooLarge: "name and value are longer than \(StoredCookie.sizeLimit) bytes"
        case .invalidDomain: "its domain is not a host name in ASCII"
        case .foreignDomain: "its domain is not one of the host that sets it"
        case .publicSuffix: "its domain is one under which anyone can get a host"
        case .invalidPath: "its path does not start with a slash"
        case .insecureOrigin: "it is for https only and came over http"
        case .prefixNotKept: "it does not keep what the beginning of its name promises"
        }
    }
}
