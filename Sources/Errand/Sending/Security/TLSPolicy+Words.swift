internal import Foundation

// Neither descriptions nor mirrors show a key, a passphrase, or the content of a PEM source.

extension TLSPolicy.PEM: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The source of the PEM.
    public var description: String {
        switch self.source {
        case .bytes(let data): "PEM of \(data.count) bytes"
        case .file(let file): "PEM in \(file.path)"
        }
    }

    /// The source of the PEM.
    public var debugDescription: String { self.description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TLSPolicy.ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The sources of certificate and key.
    public var description: String { "client certificate: \(self.chain), key: \(self.privateKey)" }

    /// The sources of certificate and key.
    public var debugDescription: String { self.description }

    /// A mirror of the sources, without the passphrase.
    public var customMirror: Mirror {
        Mirror(self, children: ["chain": self.chain, "privateKey": self.privateKey])
    }
}

extension TLSPolicy: CustomReflectable {
    /// A mirror of the rules as given.
    public var customMirror: Mirror { Mirror(self, children: ["standard": self.standard, "hosts": self.hosts]) }
}
