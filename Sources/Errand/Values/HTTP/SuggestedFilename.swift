extension HTTPResponse.Head {
    /// The file name that the server suggests for the content (RFC 6266 §4.3); `nil` if there is none.
    ///
    /// It is never a path: text up to the last slash or backslash is removed, and so are invisible characters and
    /// leading dots. An invalid parameter is ignored, without affecting the others; a name that is not UTF-8 is read as
    /// Latin-1.
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
    /// The last path component as a file name without leading dots; `nil` if it is not a valid name.
    package var suggestedFilename: String? {
        guard let last = self.path.parts(at: "/", omittingEmpty: false).last else { return nil }
        return (HTTPURL.percentDecode(String(last)) ?? String(last)).safeFilename
    }
}

extension String {
    /// The maximum size of a name in bytes: file systems accept up to 255, and longer names are derived from it.
    private static let filenameLimit = 200

    /// The last component of a server's path, without characters that are invalid in a name; `nil` if it is then empty.
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

    /// Returns the name with a maximum number of bytes, keeping its extension.
    private func shortened(toBytes limit: Int) -> String {
        guard self.utf8.count > limit else { return self }
        let dot = self.unicodeScalars.lastIndex(of: ".") ?? self.endIndex
        let ending = self[dot...].utf8.count <= 20 ? String(self[dot...]) : ""
        // By scalars, because a character may consist of any number of them.
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
    /// True unless it is a control or format character, or unassigned.
    fileprivate var canBeSeen: Bool {
        switch self.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
