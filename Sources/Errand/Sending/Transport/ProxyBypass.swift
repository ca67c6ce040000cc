internal import Foundation

/// The hosts that one entry of a list such as `no_proxy` names: they are reached without a proxy.
///
/// The forms are those that curl and Go know:
///
/// - `example.com`, `.example.com`: the host and all hosts below it; `*.example.com`: those below it alone.
/// - `10.1.2.3`, `::1`, `[::1]`: an address; `10.0.0.0/8`, `fd00::/8`: all addresses of a network (RFC 4632 §3.1).
/// - `*`: every host.
///
/// Behind each but a network there may be a port, as in `example.com:8080` and `[::1]:8080`; without one all ports are
/// meant. Case does not count, nor does a dot at the end.
struct ProxyBypass: Sendable, Hashable {
    private enum Hosts: Hashable {
        case all
        case name(String, isBelowOnly: Bool)
        /// The bits at the beginning of an address that count.
        case network([UInt8], bits: Int)
    }

    /// The entry as it is spelt, in lower case.
    let text: String
    private let hosts: Hosts
    private let port: Int?

    /// Reads an entry; `nil` if it is none.
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

    /// Reads a list as the environment has it: entries with commas or white space between; those that are none are
    /// passed over.
    static func list(_ text: String) -> [ProxyBypass] {
        text.utf8.split { $0 == UInt8(ascii: ",") || $0 <= 0x20 }.compactMap { ProxyBypass(String(Substring($0))) }
    }

    /// Tells whether the host and the port of a URL are meant.
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

    /// Whether it is one host with those below it and all its ports, which is all that a system's own list may say.
    var isPlainHost: Bool {
        switch self.hosts {
        case .all: false
        case .name(_, let isBelowOnly): !isBelowOnly && self.port == nil
        case .network(let bytes, let bits): bits == bytes.count * 8 && self.port == nil
        }
    }

    // MARK: - Reading

    /// The host and the port behind it; `nil` where that is no port.
    private static func parts(of text: String) -> (host: String, port: Int?)? {
        // An address of IPv6 without brackets is full of colons, and has no port.
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

    /// The bytes of an address: 4 of IPv4, 16 of IPv6.
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
