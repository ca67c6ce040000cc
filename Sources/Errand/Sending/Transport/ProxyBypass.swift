internal import Foundation

/// An entry of a list such as `no_proxy`, which names hosts to reach without a proxy.
///
/// The forms are those of curl and Go:
///
/// - `example.com`, `.example.com`: the host and all its subdomains; `*.example.com`: only the subdomains.
/// - `10.1.2.3`, `::1`, `[::1]`: an address; `10.0.0.0/8`, `fd00::/8`: all addresses of a network (RFC 4632 §3.1).
/// - `*`: every host.
///
/// All forms except networks can have a port, as in `example.com:8080` and `[::1]:8080`; otherwise they match all
/// ports. Case and a trailing dot are ignored.
struct ProxyBypass: Sendable, Hashable {
    private enum Hosts: Hashable {
        case all
        case name(String, isBelowOnly: Bool)
        /// An address prefix and its length in bits.
        case network([UInt8], bits: Int)
    }

    /// The entry as written, in lower case.
    let text: String
    private let hosts: Hosts
    private let port: Int?

    /// Parses an entry; `nil` if it is invalid.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
        self.text = text.asciiLowercased()
        if let network = Self.network(self.text) {
            (self.hosts, self.port) = (network, nil)
            return
        }
        guard let (host, port) = Self.parts(of: self.text), let hosts = Self.hosts(host) else { return nil }
        (self.hosts, self.port) = (hosts, port)
    }

    /// Parses a list as in environment variables: entries separated by commas or white space; invalid ones are skipped.
    static func list(_ text: String) -> [ProxyBypass] {
        text.utf8.split { $0 == UInt8(ascii: ",") || $0 <= 0x20 }.compactMap { ProxyBypass(String(Substring($0))) }
    }

    /// Returns true if the host and port of a URL match.
    func contains(_ url: HTTPURL) -> Bool {
        if let port = self.port, port != url.effectivePort { return false }
        switch self.hosts {
        case .all: return true
        case .name(let name, let isBelowOnly):
            let host = HostPattern.normalized(url.host)
            return host.endsExactly(with: ".\(name)") || (!isBelowOnly && host.isExactly(name))
        case .network(let network, let bits):
            let host = HostPattern.normalized(url.host)
            guard let address = Self.address(Self.withoutBrackets(host)), address.count == network.count else {
                return false
            }
            return Self.beginning(of: address, bits) == Self.beginning(of: network, bits)
        }
    }

    /// True for a host with its subdomains on all ports, which is all that the system's own list can express.
    var isPlainHost: Bool {
        switch self.hosts {
        case .all: false
        case .name(_, let isBelowOnly): !isBelowOnly && self.port == nil
        case .network(let bytes, let bits): bits == bytes.count * 8 && self.port == nil
        }
    }

    // MARK: - Reading

    /// Splits an entry into host and port; `nil` if the port is invalid.
    private static func parts(of text: String) -> (host: String, port: Int?)? {
        // An IPv6 address without brackets contains colons, and has no port.
        if Self.address(text) != nil { return (text, nil) }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), !text.endsExactly(with: "]") else {
            return (text, nil)
        }
        let digits = text[text.utf8.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isASCIIDigit), let port = Int(digits) else {
            return nil
        }
        return (String(text[..<colon]), port)
    }

    private static func hosts(_ text: String) -> Hosts? {
        if text == "*" { return .all }
        if let address = Self.address(Self.withoutBrackets(text)) { return .network(address, bits: address.count * 8) }
        let isBelowOnly = text.startsExactly(with: "*.")
        let start = isBelowOnly ? 2 : text.startsExactly(with: ".") ? 1 : 0
        let name = HostPattern.normalized(String(text.dropFirst(start)))
        return HostPattern.isHost(name) ? .name(name, isBelowOnly: isBelowOnly) : nil
    }

    private static func network(_ text: String) -> Hosts? {
        let parts = text.parts(at: "/", omittingEmpty: false)
        guard parts.count == 2, let address = Self.address(Self.withoutBrackets(parts[0])),
            parts[1].utf8.allSatisfy(\.isASCIIDigit), let bits = Int(parts[1]), bits <= address.count * 8
        else { return nil }
        return .network(address, bits: bits)
    }

    private static func withoutBrackets(_ host: String) -> String {
        host.startsExactly(with: "[") && host.endsExactly(with: "]") ? String(host.dropFirst().dropLast()) : host
    }

    /// Returns the bytes of an address: 4 for IPv4, 16 for IPv6.
    private static func address(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            let isAddress = unsafe bytes.withUnsafeMutableBytes { unsafe inet_pton(family, text, $0.baseAddress) == 1 }
            if isAddress { return bytes }
        }
        return nil
    }

    private static func beginning(of address: [UInt8], _ bits: Int) -> [UInt8] {
        var bytes = Array(address.prefix(bits / 8))
        if bits % 8 > 0 { bytes.append(address[bits / 8] >> UInt8(8 - bits % 8)) }
        return bytes
    }
}
