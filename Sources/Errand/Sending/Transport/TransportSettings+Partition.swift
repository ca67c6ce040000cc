internal import struct Foundation.Data

/// The settings that change the responding server or the form of responses, by which cached responses are separated.
extension TransportSettings {
    /// A text that identifies settings that change the responding or trusted servers or the decoding of content; empty
    /// for the standard settings.
    ///
    /// Proxies of the environment are not included: like host names, they are a matter of the machine. Reads the files
    /// that the TLS settings name, because their contents are included.
    package var cachePartition: String {
        var parts = self.tls.standard == TLSPolicy.Rules() ? [] : ["tls \(self.tls.standard.partition)"]
        for (pattern, rules) in self.tls.hosts.sorted(by: { $0.key < $1.key }) {
            parts.append("tls \(HostPattern.normalized(pattern)) \(rules.partition)")
        }
        if self.proxy != .environment { parts.append("proxy \(self.proxy.partition)") }
        if self.addressFamily != .any { parts.append("family \(self.addressFamily)") }
        if let interface { parts.append("interface \(interface)") }
        if let unixSocket { parts.append("socket \(unixSocket)") }
        if !self.decodesContent { parts.append("coded") }
        guard !parts.isEmpty else { return "" }
        return SHA256(of: parts.map { "\($0.utf8.count):\($0)" }.joined()).description
    }
}

extension TLSPolicy.Rules {
    fileprivate var partition: String {
        let pins = self.pins.map(\.text).sorted().joined(separator: ",")
        // The certificate identifies the client; the key only proves it.
        let certificate = self.clientCertificate?.chain.partition ?? "none"
        return "\(self.trust.partition) pins \(pins) certificate \(certificate) from \(self.minimumVersion)"
    }
}

extension TLSPolicy.Trust {
    fileprivate var partition: String {
        switch self {
        case .system: "system"
        case .authorities(let sources): "authorities \(sources.map(\.partition).joined(separator: ","))"
        case .unverifiedDangerously: "unverified"
        }
    }
}

extension TLSPolicy.PEM {
    /// The digest of the content; for a file that cannot be read, with which all exchanges fail, its path.
    fileprivate var partition: String {
        switch self.source {
        case .bytes(let data): SHA256(of: data).description
        case .file(let file): (try? self.contents()).map { SHA256(of: $0).description } ?? file.path
        }
    }
}

extension TransportSettings.Proxy {
    fileprivate var partition: String {
        switch self {
        case .environment: "environment"
        case .none: "none"
        case .url(let url, let bypass): "\(url) but \(bypass.map(HostPattern.normalized).sorted())"
        }
    }
}
