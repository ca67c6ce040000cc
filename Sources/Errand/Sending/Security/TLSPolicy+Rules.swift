public import struct Foundation.Data
public import struct Foundation.URL

extension TLSPolicy {
    /// What holds for the connections to some hosts.
    public struct Rules: Sendable, Hashable {
        /// Whose word counts for the server's certificate.
        public var trust: Trust
        /// The public keys of which the server must show one, besides being trusted; without any, all will do.
        ///
        /// More than one is wise: the key in use, and the one that will follow.
        public var pins: [TLSPolicy.PublicKeyPin]
        /// What is shown to a server that asks who the client is.
        public var clientCertificate: ClientCertificate?
        /// The lowest version of TLS that is spoken.
        public var minimumVersion: Version

        /// Creates rules; those that are not given are the standard ones.
        public init(
            trust: Trust = .system, pins: [TLSPolicy.PublicKeyPin] = [], clientCertificate: ClientCertificate? = nil,
            minimumVersion: Version = .tls1_2
        ) {
            self.trust = trust
            self.pins = pins
            self.clientCertificate = clientCertificate
            self.minimumVersion = minimumVersion
        }
    }

    /// Whose word counts for a server's certificate.
    public enum Trust: Sendable, Hashable {
        /// The authorities that the system trusts.
        case system
        /// These authorities and no others; each source may hold several certificates.
        case authorities([PEM])
        /// Nobody's: every certificate is accepted, whatever name is in it, so that anyone on the way can read and
        /// change everything.
        ///
        /// For tests. Each exchange that uses it tells so with ``ExchangeEvent/notice(_:)``. Pins still count, for the
        /// server's own certificate only.
        case unverifiedDangerously
    }

    /// A version of TLS; older ones are not spoken.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2 (RFC 5246).
        case tls1_2
        /// TLS 1.3 (RFC 8446).
        case tls1_3
    }

    /// Where certificates or a key in the PEM format (RFC 7468) come from.
    ///
    /// Never shows what is in it, only where it is from.
    public struct PEM: Sendable, Hashable {
        enum Source: Hashable {
            case bytes(Data)
            case file(URL)
        }

        let source: Source

        /// Takes PEM as it is.
        public static func text(_ text: String) -> PEM {
            PEM(source: .bytes(Data(text.utf8)))
        }

        /// Takes the bytes of PEM.
        public static func bytes(_ bytes: Data) -> PEM {
            PEM(source: .bytes(bytes))
        }

        /// Names a file, which is read once, when a transport is made.
        public static func file(_ file: URL) -> PEM {
            PEM(source: .file(file))
        }
    }

    /// The certificate of a client, and the key that proves that it is its own.
    public struct ClientCertificate: Sendable, Hashable {
        /// The certificate, followed by those that lead to an authority, if any.
        public var chain: PEM
        /// The private key of the certificate; other blocks in the same source are passed over.
        public var privateKey: PEM
        /// What the private key is encrypted with.
        public var passphrase: String?

        /// Creates the identity of a client.
        ///
        /// - Parameters:
        ///   - chain: The certificate, followed by those that lead to an authority, if any.
        ///   - privateKey: The private key of the certificate.
        ///   - passphrase: What the private key is encrypted with, if it is.
        public init(chain: PEM, privateKey: PEM, passphrase: String? = nil) {
            self.chain = chain
            self.privateKey = privateKey
            self.passphrase = passphrase
        }
    }
}
