/// The canonical form of addresses in the hosts of URLs.
///
/// Systems read `127.1`, `0x7f.1`, `2130706433` and `0177.0.0.1` as `127.0.0.1`. Code that keeps requests out of its
/// own network has to recognize these.
enum HostAddress {
    /// Returns the canonical form of a host.
    ///
    /// Up to four numbers are an IPv4 address, parsed by the URL Standard (§3.5, "IPv4 parser") and written as four
    /// decimal numbers; invalid ones are rejected, because some systems accept them as addresses. An IPv6 address is
    /// written by RFC 5952, and ends with decimal numbers if it did so before, or if its prefix is one for IPv4
    /// addresses (§5).
    ///
    /// - Parameter host: The host, in lower case, with brackets around an IPv6 address.
    /// - Returns: The host; unchanged if it is not an address.
    /// - Throws: ``HTTPURLProblem`` for numbers that are not an address.
    static func canonical(_ host: String) throws(HTTPURLProblem) -> String {
        if host.utf8.first == UInt8(ascii: "[") {
            return Self.ipv6(host.utf8.dropFirst().dropLast()).map { "[\($0)]" } ?? host
        }
        let text = host.utf8.last == UInt8(ascii: ".") ? host.utf8.dropLast() : host.utf8[...]
        let start = text.lastIndex(of: UInt8(ascii: ".")).map { text.index(after: $0) } ?? text.startIndex
        // Almost all hosts end in a name.
        guard start < text.endIndex, text[start].isASCIIDigit, !Self.isUsual(host) else { return host }
        let parts = Substring(text).parts(at: ".", omittingEmpty: false)
        // No system accepts five numbers, or a name before a number, as an address.
        guard let last = parts.last, Self.isNumeric(last), parts.count <= 4,
            parts.allSatisfy({ $0.utf8.first?.isASCIIDigit ?? true })
        else { return host }
        guard let address = Self.ipv4(parts) else {
            throw HTTPURLProblem("the host is numeric and not an IPv4 address")
        }
        return Self.text(ofIPv4: address)
    }

    // MARK: - IPv4

    /// Returns true for an IPv4 address in canonical form: four decimal numbers below 256, without leading zeros.
    private static func isUsual(_ host: String) -> Bool {
        var (dots, digits, number) = (0, 0, 0)
        for byte in host.utf8 {
            if byte.isASCIIDigit, digits == 0 || number > 0 {
                (digits, number) = (digits + 1, number * 10 + Int(byte & 0x0F))
                guard number < 256 else { return false }
            } else {
                guard byte == UInt8(ascii: "."), digits > 0 else { return false }
                (dots, digits, number) = (dots + 1, 0, 0)
            }
        }
        return dots == 3 && digits > 0
    }

    private static func isNumeric(_ part: String) -> Bool {
        !part.isEmpty && part.utf8.allSatisfy(\.isASCIIDigit)
            || part.startsExactly(with: "0x") && Self.number(part) != nil
    }

    /// Returns the address of up to four numbers, the last of which covers all remaining bytes.
    private static func ipv4(_ parts: [String]) -> UInt32? {
        let numbers = parts.compactMap(Self.number)
        guard numbers.count == parts.count, 1...4 ~= parts.count, let last = numbers.last else { return nil }
        let first = numbers.dropLast()
        guard first.allSatisfy({ $0 < 256 }), last < 1 << (8 * UInt64(5 - parts.count)) else { return nil }
        let high = first.enumerated().reduce(0 as UInt64) { $0 | $1.element << (8 * UInt64(3 - $1.offset)) }
        return UInt32(truncatingIfNeeded: high | last)
    }

    /// Parses a decimal number, an octal one after `0`, or a hexadecimal one after `0x`; overflow saturates.
    private static func number(_ part: String) -> UInt64? {
        var (digits, base) = (Array(part.utf8), 10 as UInt64)
        if digits.isEmpty { return nil }
        if digits.starts(with: "0x".utf8) {
            (digits, base) = (Array(digits.dropFirst(2)), 16)
        } else if digits.count > 1, digits[0] == UInt8(ascii: "0") {
            base = 8
        }
        var number: UInt64 = 0
        for digit in digits {
            guard let value = digit.hexValue, UInt64(value) < base else { return nil }
            number = min(number * base + UInt64(value), 1 << 32)
        }
        return number
    }

    private static func text(ofIPv4 address: UInt32) -> String {
        "\(address >> 24).\(address >> 16 & 0xFF).\(address >> 8 & 0xFF).\(address & 0xFF)"
    }

    // MARK: - IPv6

    /// Returns the address in the form of RFC 5952; `nil` if it is not an IPv6 address.
    private static func ipv6(_ text: Substring.UTF8View) -> String? {
        let (colon, bytes) = (UInt8(ascii: ":"), Array(text))
        let gap = bytes.indices.dropLast().first { bytes[$0] == colon && bytes[$0 + 1] == colon }
        guard let head = Self.groups(in: bytes[..<(gap ?? bytes.count)]),
            let tail = Self.groups(in: gap.map { bytes[($0 + 2)...] } ?? [])
        else { return nil }
        let missing = 8 - head.count - tail.count
        guard gap == nil ? missing == 0 : missing > 0 else { return nil }
        let groups = head + Array(repeating: 0, count: missing) + tail
        return Self.text(of: groups, isMixed: bytes.contains(UInt8(ascii: ".")) || Self.hasIPv4(groups))
    }

    /// Parses the groups between colons; an IPv4 address in decimal numbers is two groups.
    private static func groups(in text: ArraySlice<UInt8>) -> [UInt16]? {
        var groups: [UInt16] = []
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for part in text.isEmpty ? [] : parts {
            if part.contains(UInt8(ascii: ".")) {
                let numbers = String(decoding: part, as: UTF8.self).parts(at: ".", omittingEmpty: false)
                guard numbers.count == 4, let address = Self.ipv4(numbers) else { return nil }
                groups += [UInt16(address >> 16), UInt16(address & 0xFFFF)]
            } else {
                guard 1...4 ~= part.count, part.allSatisfy({ $0.hexValue != nil }) else { return nil }
                groups.append(part.reduce(0) { $0 << 4 | UInt16($1.hexValue ?? 0) })
            }
        }
        return groups
    }

    /// Returns true if the prefix is one for embedded IPv4 addresses (RFC 4291 §2.5.5.2, RFC 6052 §2.1).
    private static func hasIPv4(_ groups: [UInt16]) -> Bool {
        groups.starts(with: [0, 0, 0, 0, 0, 0xFFFF]) || groups.starts(with: [0x64, 0xFF9B, 0, 0, 0, 0])
    }

    /// Writes `::` for the longest run of zeros, the first of equally long ones (RFC 5952 §4.2).
    private static func text(of groups: [UInt16], isMixed: Bool) -> String {
        var words = groups.map { String($0, radix: 16) }
        if isMixed {
            words[6...] = [Self.text(ofIPv4: UInt32(groups[6]) << 16 | UInt32(groups[7]))]
        }
        var (longest, run) = (0..<0, 0..<0)
        for (index, word) in words.enumerated() {
            run = word == "0" ? (run.isEmpty ? index : run.lowerBound)..<index + 1 : index..<index
            if run.count > longest.count { longest = run }
        }
        // A single zero is not compressed.
        guard longest.count > 1 else { return words.joined(separator: ":") }
        let head = words[..<longest.lowerBound].joined(separator: ":")
        return "\(head)::\(words[longest.upperBound...].joined(separator: ":"))"
    }
}
