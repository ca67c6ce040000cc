internal import struct Foundation.Data

/// What proves to a server who is asking: a user and a password, or a token.
///
/// Its descriptions never show what is secret.
public struct HTTPCredential: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case basic(user: String, password: String)
        case bearer(String)
        case digest(String)
    }

    private let kind: Kind

    /// A user and a password, sent as RFC 7617 says, in UTF-8.
    ///
    /// The user may not contain a colon, and neither of them a control character.
    public static func basic(user: String, password: String) -> HTTPCredential {
        HTTPCredential(kind: .basic(user: user, password: password))
    }

    /// A token, sent as RFC 6750 §2.1 says.
    ///
    /// A token is not empty and made of visible ASCII characters.
    public static func bearer(_ token: String) -> HTTPCredential {
        HTTPCredential(kind: .bearer(token))
    }

    /// What a digest says of one request (RFC 7616 §3.4): the parameters, as they stand in the field.
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

    /// Makes the value of an `Authorization` field.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest`` when the credential contains what
    ///   it may not; the message does not quote it.
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
                throw ErrandError(.invalidRequest, "a bearer token is empty or contains what is not visible ASCII")
            }
            return "Bearer " + token
        case .digest(let parameters):
            return "Digest " + parameters
        }
    }
}

// MARK: - Words without secrets

extension HTTPCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme, and nothing else.
    public var description: String { "\(self.scheme) credential" }

    /// The scheme, and nothing else.
    public var debugDescription: String { self.description }

    /// A mirror without children: what looks into values must not find the secret either.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension String {
    fileprivate var hasControlCharacter: Bool {
        self.unicodeScalars.contains { $0 < " " || 0x7F...0x9F ~= $0.value }
    }
}
