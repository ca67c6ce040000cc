package import Foundation

/// ``TLSPolicy/Rules`` that were checked, with everything read that they name.
///
/// An object, so that one who set up a connection by it can tell whether the next one is to be set up in the same way.
package final class LoadedTLSRules: Sendable {
    /// The trust anchors used to verify the server.
    package enum Trust: Sendable, Equatable {
        /// The authorities of the system.
        case system
        /// The ones in this PEM, and no others.
        case authorities(Data)
        /// Nobody's; everything is accepted.
        case unverified
    }

    /// The certificate of the client, and its key, for a server that asks for it.
    package struct Identity: Sendable {
        /// The certificate and those that lead to an authority, in PEM.
        package let chain: Data
        /// The private key, in PEM.
        package let privateKey: Data
        /// The passphrase of the private key, if that is encrypted.
        package let passphrase: String?
    }

    package let trust: Trust
    /// The digests of the public keys of which the server must show one; without any, all will do.
    package let pins: [Data]
    package let identity: Identity?
    package let minimumVersion: TLSPolicy.Version

    /// The pins in the form of libcurl, if there are any.
    package var pinList: String? {
        self.pins.isEmpty ? nil : self.pins.map { "sha256//\($0.base64EncodedString())" }.joined(separator: ";")
    }

    /// Whether these are the rules of a policy that was left as it is.
    package var isStandard: Bool {
        self.trust == .system && self.pins.isEmpty && self.identity == nil && self.minimumVersion == .tls1_2
    }

    /// A warning for the user about an exchange under these rules; `nil` for none.
    package var notice: String? {
        self.trust == .unverified ? "the server's certificate is not verified: anyone may read and change this" : nil
    }

    /// Makes the standard rules.
    init() {
        self.trust = .system
        self.pins = []
        self.identity = nil
        self.minimumVersion = .tls1_2
    }

    /// Checks rules and reads the files they name.
    init(_ rules: TLSPolicy.Rules) throws(ErrandError) {
        self.pins = try rules.pins.map { pin throws(ErrandError) in try pin.digest() }
        self.trust = try Self.load(rules.trust)
        self.identity = try rules.clientCertificate.map { certificate throws(ErrandError) in
            try Self.load(certificate)
        }
        self.minimumVersion = rules.minimumVersion
    }

    private static func load(_ trust: TLSPolicy.Trust) throws(ErrandError) -> Trust {
        switch trust {
        case .system: return .system
        case .unverifiedDangerously: return .unverified
        case .authorities(let sources):
            guard !sources.isEmpty else {
                throw ErrandError(
                    .invalidTLSPolicy,
                    "there are no authorities to trust: give at least one certificate, or trust those of the system")
            }
            var all = Data()
            for source in sources {
                let (pem, blocks) = try source.load()
                guard blocks.contains(where: \.isCertificate) else { throw source.problem("there is no certificate") }
                // The last line of one need not be ended, and would run into the first of the next.
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
        // Without this OpenSSL would ask for it on the terminal, and wait.
        guard !first.isEncrypted || certificate.passphrase != nil else {
            throw certificate.privateKey.problem("the private key is encrypted, and there is no passphrase")
        }
        return Identity(chain: chain, privateKey: key, passphrase: first.isEncrypted ? certificate.passphrase : nil)
    }
}

extension TLSPolicy.PEM {
    /// Reads the source and finds its blocks.
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

    /// The most bytes of a file with certificates: those of all authorities are some hundred kilobytes.
    private static let limit = 16 << 20

    func contents() throws(ErrandError) -> Data {
        switch self.source {
        case .bytes(let data): return data
        case .file(let file):
            do throws(FileProblem) {
                guard file.isFileURL else { throw FileProblem(EINVAL) }
                // Anything but a file, such as a pipe, might keep the reader for ever.
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
