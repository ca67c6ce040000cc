extension HTTPResponse.Head {
    /// The name that the server suggests for a file with the content (RFC 6266 §4.3); `nil` where it suggests none.
    ///
    /// Never more than a name: what comes before the last slash or backslash is left out, and so are characters that
    /// cannot be seen and dots at the beginning. A parameter with a flaw is as if it was not there, and the others count;
    /// a name that is not UTF-8 is Latin-1.
    public var suggestedFilename: String? {
        guard let value = self.headers[HTTPField.Name.contentDisposition] else { return nil }
        var scanner = FieldScanner(FieldOctets.readable(value))
        guard scanner.token() != nil else { return nil }
        scanner.skipWhitespace()
        guard scanner.take(";") else { return nil }
        let parameters = scanner.soundParameters()
        func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        let extended = parameter("filename*").flatMap(Self.decodeExtended).flatMap(\.safeFilename)
        return extended ?? parameter("filename")?.safeFilename
    }

    /// Decodes a value with its charset, such as `UTF-8'en'%e2%82%ac` (RFC 8187 §3.2).
    private static func decodeExtended(_ value: String) -> String? {
        let parts = value.parts(at: "'", maxSplits: 2, omittingEmpty: false)
        guard parts.count == 3, parts[0].asciiLowercased() == "utf-8" else { return nil }
        return HTTPURL.percentDecode(String(parts[2]))
    }
}

extension HTTPURL {
    /// The last component of the path as the name of a file, which is not hidden; `nil` where that is none.
    package var suggestedFilename: String? {
        guard let last = self.path.parts(at: "/", omittingEmpty: false).last else { return nil }
        return (HTTPURL.percentDecode(String(last)) ?? String(last)).safeFilename
    }
}

extension String {
    /// The most bytes of a name: file systems take up to 255, and others make names of it.
    private static let filenameLimit = 200

    /// The last component of a path that a server names, without what must not be in a name; `nil` if nothing is left.
    fileprivate var safeFilename: String? {
        let last = self.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last
        var name = String.UnicodeScalarView()
        for scalar in last ?? "".unicodeScalars[...]
        where scalar.canBeSeen && !(name.isEmpty && (scalar == "." || scalar.properties.isWhitespace)) {
            name.append(scalar)
        }
        while let end = name.last, end == "." || end.properties.isWhitespace { name.removeLast() }
        return name.isEmpty ? nil : String(name).shortened(toBytes: Self.filenameLimit)
    }

    /// The name with so many bytes at most, and with its ending.
    private func shortened(toBytes limit: Int) -> String {
        guard self.utf8.count > limit else { return self }
        let dot = self.unicodeScalars.lastIndex(of: ".") ?? self.endIndex
        let ending = self[dot...].utf8.count <= 20 ? String(self[dot...]) : ""
        // By scalars: one character may have any number of them.
        var (stem, count) = (String.UnicodeScalarView(), ending.utf8.count)
        for scalar in self.unicodeScalars {
            count += scalar.utf8.count
            guard count <= limit else { break }
            stem.append(scalar)
        }
        return String(stem) + ending
    }
}

extension Unicode.Scalar {
    /// Whether it is none of the characters that control others, or their direction, or are not there at all.
    fileprivate var canBeSeen: Bool {
        switch self.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
