public import struct Foundation.Data
public import struct Foundation.URL

extension TLSPolicy {
    /// The TLS rules for some hosts.
    public struct Rules: Sendable, Hashable {
        /// The trust anchors used to verify the server.
        public var trust: Trust
        /// The public keys of which the server must have one, in addition to a trusted certificate; if empty, any key
        /// is accepted.
        ///
        /// Include more than one: the current key, and its successor.
        public var pins: [TLSPolicy.PublicKeyPin]
        /// The certificate for servers that request one.
        public var clientCertificate: ClientCertificate?
        /// The minimum version of TLS.
        public var minimumVersion: Version

        /// Creates rules; values that are not given are the defaults.
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

    /// The trust anchors used to verify a server.
    public enum Trust: Sendable, Hashable {
        /// The system's trust anchors.
        case system
        /// Only these certificate authorities; each source may contain several certificates.
        case authorities([PEM])
        /// No verification: every certificate is accepted, whatever its name, so that anyone on the network can read
        /// and change everything.
        ///
        /// For tests. Each exchange reports it with ``ExchangeEvent/notice(_:)``. Pins still apply, to the server's own
        /// certificate only.
        case unverifiedDangerously
    }

    /// A version of TLS; older ones are not supported.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2 (RFC 5246).
        case tls1_2
        /// TLS 1.3 (RFC 8446).
        case tls1_3
    }

    /// A source of certificates or a key in PEM format (RFC 7468).
    ///
    /// Its descriptions show only the source, never the content.
    public struct PEM: Sendable, Hashable {
        enum Source: Hashable {
            case bytes(Data)
            case file(URL)
        }

        let source: Source

        /// Returns a source with PEM text.
        public static func text(_ text: String) -> PEM {
            PEM(source: .bytes(Data(text.utf8)))
        }

        /// Returns a source with the bytes of PEM.
        public static func bytes(_ bytes: Data) -> PEM {
            PEM(source: .bytes(bytes))
        }

        /// Returns a source that is a file, read once when a transport is created.
        public static func file(_ file: URL) -> PEM {
            PEM(source: .file(file))
        }
    }

    /// The certificate of a client, with its private key.
    public struct ClientCertificate: Sendable, Hashable {
        /// The certificate, followed by its intermediates, if any.
        public var chain: PEM
        /// The private key of the certificate; other blocks in the same source are skipped.
        public var privateKey: PEM
        /// The passphrase of the private key, if it is encrypted.
        public var passphrase: String?

        /// Creates the identity of a client.
        ///
        /// - Parameters:
        ///   - chain: The certificate, followed by its intermediates, if any.
        ///   - privateKey: The private key of the certificate.
        ///   - passphrase: The passphrase of the private key, if it is encrypted.
        public init(chain: PEM, privateKey: PEM, passphrase: String? = nil) {
            self.chain = chain
            self.privateKey = privateKey
            self.passphrase = passphrase
        }
    }
}
