internal import struct Foundation.Data

/// A credential: a user and a password, or a token.
///
/// Its descriptions never contain secrets.
public struct HTTPCredential: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case basic(user: String, password: String)
        case bearer(String)
        case digest(String)
    }

    private let kind: Kind

    /// Returns a credential of a user and a password (RFC 7617), encoded in UTF-8.
    ///
    /// The user must not contain a colon, and neither of them a control character.
    public static func basic(user: String, password: String) -> HTTPCredential {
        HTTPCredential(kind: .basic(user: user, password: password))
    }

    /// Returns a credential with a bearer token (RFC 6750 §2.1).
    ///
    /// A token must consist of visible ASCII characters, and must not be empty.
    public static func bearer(_ token: String) -> HTTPCredential {
        HTTPCredential(kind: .bearer(token))
    }

    /// Returns a digest for one request (RFC 7616 §3.4), given the parameters of the field.
    static func digest(_ parameters: String) -> HTTPCredential {
        HTTPCredential(kind: .digest(parameters))
    }

    /// The authentication scheme, `Basic`, `Bearer` or `Digest` (RFC 9110 §11.1).
    public var scheme: String {
        switch self.kind {
        case .basic: "Basic"
        case .bearer: "Bearer"
        case .digest: "Digest"
        }
    }

    /// Returns the value of an `Authorization` field.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest`` if the credential contains invalid
    ///   characters; the message does not quote it.
    public func fieldValue() throws(ErrandError) -> String {
        switch self.kind {
        case .basic(let user, let password):
            guard !user.utf8.contains(UInt8(ascii: ":")) else {
                throw ErrandError(.invalidRequest, "the user of a basic credential contains a colon")
            }
            guard !user.hasControlCharacter, !password.hasControlCharacter else {
                throw ErrandError(.invalidRequest, "a basic credential contains a control character")
            }
            return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        case .bearer(let token):
            guard !token.isEmpty, token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw ErrandError(.invalidRequest, "a bearer token is empty or not visible ASCII")
            }
            return "Bearer " + token
        case .digest(let parameters):
            return "Digest " + parameters
        }
    }
}

// MARK: - Words without secrets

extension HTTPCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme, without the credential.
    public var description: String { "\(self.scheme) credential" }

    /// The scheme, without the credential.
    public var debugDescription: String { self.description }

    /// A mirror without children, so that reflection does not reveal the secret.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension String {
    fileprivate var hasControlCharacter: Bool {
        self.unicodeScalars.contains { $0 < " " || 0x7F...0x9F ~= $0.value }
    }
}
