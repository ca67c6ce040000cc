extension HTTPURL {
    /// The part of a URL that a text is encoded for, which determines the unencoded characters.
    public enum Component: Sendable, Hashable, CaseIterable {
        /// A name or a value in a query: letters, digits and `-._~/?` are not encoded.
        case queryItem
        /// A segment of a path: letters, digits and `-._~` are not encoded.
        case pathSegment

        /// The unencoded bytes below 64, as bits.
        private var low: UInt64 {
            let common: UInt64 = 0x3FF << 0x30 | 1 << 0x2D | 1 << 0x2E
            return self == .queryItem ? common | 1 << 0x2F | 1 << 0x3F : common
        }

        /// The unencoded bytes from 64 to 127, as bits.
        private static var high: UInt64 { 0x3FF_FFFF << 0x01 | 1 << 0x1F | 0x3FF_FFFF << 0x21 | 1 << 0x3E }

        @inline(__always)
        func allows(_ byte: UInt8) -> Bool {
            byte < 64 ? self.low >> byte & 1 == 1 : byte < 128 && Self.high >> (byte & 63) & 1 == 1
        }
    }

    /// Encodes a text for a part of a URL: bytes of its UTF-8 form become `%XX` (RFC 3986 §2.1).
    ///
    /// - Parameters:
    ///   - text: The unencoded text; a `%` in it is encoded like other characters.
    ///   - component: The part of a URL.
    /// - Returns: The encoded text; the text itself if it needs no encoding.
    /// - Complexity: O(*n*).
    public static func percentEncode(_ text: String, for component: Component = .queryItem) -> String {
        Self.encode(text, keeping: component.allows)
    }

    /// Appends a text to bytes, encoded as a name or a value of a query.
    static func percentEncode(_ text: String, spaceAsPlus: Bool, to bytes: inout [UInt8]) {
        // The buffer is used only within this closure.
        let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { buffer in
            var start = 0
            // Runs of unencoded bytes are copied at once.
            for index in buffer.indices where unsafe !Component.queryItem.allows(buffer[index]) {
                unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[start..<index]))
                start = index + 1
                if spaceAsPlus, unsafe buffer[index] == 0x20 {
                    bytes.append(UInt8(ascii: "+"))
                } else {
                    unsafe Self.write(buffer[index], to: &bytes) { _ in false }
                }
            }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[start...]))
        }
        guard isWritten == nil else { return }
        // A Foundation string without contiguous storage.
        for byte in text.utf8 {
            if spaceAsPlus, byte == 0x20 {
                bytes.append(UInt8(ascii: "+"))
            } else {
                Self.write(byte, to: &bytes, keeping: Component.queryItem.allows)
            }
        }
    }

    /// Decodes `%XX` (RFC 3986 §2.1); a `+` stays a `+`.
    ///
    /// - Returns: The text, or `nil` if a `%` is not followed by two hexadecimal digits, or if the result is not UTF-8.
    public static func percentDecode(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.utf8.count)
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = bytes.next()?.hexValue, let low = bytes.next()?.hexValue else { return nil }
                decoded.append(high << 4 | low)
            } else {
                decoded.append(byte)
            }
        }
        return String(validUTF8: decoded)
    }

    /// Decodes leniently, for inspection: an invalid `%` is kept, and invalid UTF-8 is replaced.
    static func percentDecodeLoosely(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = bytes[index + 1].hexValue,
                let low = bytes[index + 2].hexValue
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Encodes characters that are invalid in a query; also `%`, unless every `%` of the text starts an encoded byte.
    static func encodingIllegalBytes(_ text: String) -> String {
        var pending = 0
        let isEncoded = text.utf8.allSatisfy { byte in
            defer { pending = byte == UInt8(ascii: "%") ? 2 : max(0, pending - 1) }
            return pending == 0 || byte.hexValue != nil
        }
        let keepsPercent = isEncoded && pending == 0
        return Self.encode(text, keeping: { $0.mayStandInTail || (keepsPercent && $0 == UInt8(ascii: "%")) })
    }

    private static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        if text.utf8.allSatisfy(isKept) { return text }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count * 2)
        for byte in text.utf8 { Self.write(byte, to: &encoded, keeping: isKept) }
        return String(decoding: encoded, as: UTF8.self)
    }

    @inline(__always)
    static func write(_ byte: UInt8, to bytes: inout [UInt8], keeping isKept: (UInt8) -> Bool) {
        if isKept(byte) { return bytes.append(byte) }
        bytes.append(UInt8(ascii: "%"))
        bytes.append(Self.digit(byte >> 4))
        bytes.append(Self.digit(byte & 0x0F))
    }

    /// Returns the hexadecimal digit for a number below 16, in upper case.
    private static func digit(_ number: UInt8) -> UInt8 {
        number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "A") + number - 10
    }
}
