package import Foundation

/// Validated ``TLSPolicy/Rules`` with the contents of their files.
///
/// A reference type, so that the rules of an existing connection can be compared by identity.
package final class LoadedTLSRules: Sendable {
    /// The trust anchors used to verify the server.
    package enum Trust: Sendable, Equatable {
        /// The system's trust anchors.
        case system
        /// Only the trust anchors in this PEM.
        case authorities(Data)
        /// No verification: every certificate is accepted.
        case unverified
    }

    /// The certificate and key of the client, for a server that asks for it.
    package struct Identity: Sendable {
        /// The certificate and its intermediates, in PEM.
        package let chain: Data
        /// The private key, in PEM.
        package let privateKey: Data
        /// The passphrase of the private key, if it is encrypted.
        package let passphrase: String?
    }

    package let trust: Trust
    /// The digests of the public keys of which the server must have one; if empty, any key is accepted.
    package let pins: [Data]
    package let identity: Identity?
    package let minimumVersion: TLSPolicy.Version

    /// The pins in the format of libcurl, if there are any.
    package var pinList: String? {
        self.pins.isEmpty ? nil : self.pins.map { "sha256//\($0.base64EncodedString())" }.joined(separator: ";")
    }

    /// True for the default rules.
    package var isStandard: Bool {
        self.trust == .system && self.pins.isEmpty && self.identity == nil && self.minimumVersion == .tls1_2
    }

    /// A warning about exchanges under these rules; `nil` if there is none.
    package var notice: String? {
        self.trust == .unverified ? "the server's certificate is not verified: others can read and change data" : nil
    }

    /// Creates the default rules.
    init() {
        self.trust = .system
        self.pins = []
        self.identity = nil
        self.minimumVersion = .tls1_2
    }

    /// Validates rules and reads their files.
    init(_ rules: TLSPolicy.Rules) throws(ErrandError) {
        self.pins = try rules.pins.map { pin throws(ErrandError) in try pin.digest() }
        self.trust = try Self.load(rules.trust)
        self.identity = try rules.clientCertificate.map { certificate throws(ErrandError) in
            try Self.load(certificate)
        }
        self.minimumVersion = rules.minimumVersion
    }

    /// Returns the reason for which a server is not trusted, or `nil` if it is.
    ///
    /// For transports whose library only verifies the chain.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - isVerified: True if the certificate is one for the host, from one of the trust anchors.
    ///   - keys: The digests of the public keys in the chain, the server's own first; `nil` for kinds of keys that pins
    ///     do not support.
    ///   - cause: The problem that the verification found.
    /// - Returns: The error, with the code ``ErrandError/Code/tlsFailed``.
    package func refusal(
        of host: String, isVerified: Bool, keys: [Data?], cause: (any Error)? = nil
    ) -> ErrandError? {
        guard isVerified || self.trust == .unverified else {
            return ErrandError(.tlsFailed, "the certificate of \(host) is not trusted", cause: cause)
        }
        // Only a verified chain proves that its authorities have issued the server's certificate.
        let candidates = isVerified ? keys[...] : keys.prefix(1)
        guard self.pins.isEmpty || candidates.contains(where: { $0.map(self.pins.contains) ?? false }) else {
            return ErrandError(.tlsFailed, "\(host) has none of the public keys pinned for it")
        }
        return nil
    }

    private static func load(_ trust: TLSPolicy.Trust) throws(ErrandError) -> Trust {
        switch trust {
        case .system: return .system
        case .unverifiedDangerously: return .unverified
        case .authorities(let sources):
            guard !sources.isEmpty else {
                throw ErrandError(
                    .invalidTLSPolicy,
                    "there are no trust anchors: give at least one certificate, or use those of the system")
            }
            var all = Data()
            for source in sources {
                let (pem, blocks) = try source.load()
                guard blocks.contains(where: \.isCertificate) else { throw source.problem("there is no certificate") }
                // A source may lack a final newline, and would run into the next one.
                all += pem + Data("\n".utf8)
            }
            return .authorities(all)
        }
    }

    private static func load(_ certificate: TLSPolicy.ClientCertificate) throws(ErrandError) -> Identity {
        let (chain, certificates) = try certificate.chain.load()
        guard certificates.contains(where: \.isCertificate) else {
            throw certificate.chain.problem("there is no certificate")
        }
        let (key, blocks) = try certificate.privateKey.load()
        let keys = blocks.filter(\.isPrivateKey)
        guard let first = keys.first, keys.count == 1 else {
            throw certificate.privateKey.problem("there is not one private key, but \(keys.count)")
        }
        // Without this check, OpenSSL would prompt for it on the terminal, and wait.
        guard !first.isEncrypted || certificate.passphrase != nil else {
            throw certificate.privateKey.problem("the private key is encrypted, and there is no passphrase")
        }
        return Identity(chain: chain, privateKey: key, passphrase: first.isEncrypted ? certificate.passphrase : nil)
    }
}

extension TLSPolicy.PEM {
    /// Reads the source and parses its blocks.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidTLSPolicy``.
    func load() throws(ErrandError) -> (pem: Data, blocks: [PEMBlock]) {
        let pem = try self.contents()
        do {
            return (pem, try PEMBlock.blocks(in: pem))
        } catch {
            throw self.problem(error.message)
        }
    }

    func problem(_ message: String) -> ErrandError {
        ErrandError(.invalidTLSPolicy, "\(self): \(message)")
    }

    /// The maximum size of a certificate file: the certificates of all authorities have some hundred kilobytes.
    private static let limit = 16 << 20

    func contents() throws(ErrandError) -> Data {
        switch self.source {
        case .bytes(let data): return data
        case .file(let file):
            do throws(FileProblem) {
                guard file.isFileURL else { throw FileProblem(EINVAL) }
                // Only a regular file: a pipe could block the reader forever.
                let path = file.resolvingSymlinksInPath().path
                let data = try OpenFile.contents(of: path, upTo: Self.limit, mustBeOwn: false)
                guard let data else { throw FileProblem(ENOENT) }
                return data
            } catch {
                throw ErrandError(.invalidTLSPolicy, "\(self) cannot be read", cause: error)
            }
        }
    }
}
