internal import Foundation

// Nothing here shows a key, a passphrase, or what is in a source of PEM: neither in words nor to a mirror.

extension TLSPolicy.PEM: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the PEM is from.
    public var description: String {
        switch self.source {
        case .bytes(let data): "PEM of \(data.count) bytes"
        case .file(let file): "PEM in \(file.path)"
        }
    }

    /// Where the PEM is from.
    public var debugDescription: String { self.description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TLSPolicy.ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where certificate and key are from.
    public var description: String { "client certificate: \(self.chain), key: \(self.privateKey)" }

    /// Where certificate and key are from.
    public var debugDescription: String { self.description }

    /// A mirror of the sources, without the passphrase.
    public var customMirror: Mirror {
        Mirror(self, children: ["chain": self.chain, "privateKey": self.privateKey])
    }
}

extension TLSPolicy: CustomReflectable {
    /// A mirror of the rules as they were given.
    public var customMirror: Mirror { Mirror(self, children: ["standard": self.standard, "hosts": self.hosts]) }
}
