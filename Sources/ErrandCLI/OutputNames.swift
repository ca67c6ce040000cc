internal import Errand

/// Names files after URLs, no two of them alike on any file system.
///
/// A name is one component of a path and never leads elsewhere.
struct OutputNames {
    /// File systems count bytes, most of them up to 255; a number must still fit.
    private static let limit = 200

    /// The names given so far, in lower case: some file systems take `A` for `a`.
    private var taken: Set<String> = []
    /// The last number given to a name: those before it need not be tried again.
    private var numbers: [String: Int] = [:]

    /// Returns the name for the body of a URL: the last component of the path, `index` where there is none; with a
    /// number where it was given before.
    mutating func name(for url: HTTPURL) -> String {
        let (stem, ending) = Self.parts(of: Self.component(url))
        let plain = stem + ending
        var name = plain
        var number = self.numbers[plain.lowercased()] ?? 1
        while !self.taken.insert(name.lowercased()).inserted {
            number += 1
            name = "\(stem)-\(number)\(ending)"
        }
        self.numbers[plain.lowercased()] = number
        return name
    }

    /// The last component of the path, decoded, with `_` for what a name must not have.
    static func component(_ url: HTTPURL) -> String {
        let path = url.path
        let encoded = path.parts(at: "/", omittingEmpty: false).last ?? ""
        let decoded = HTTPURL.percentDecode(encoded) ?? encoded
        let name = decoded.unicodeScalars.map { $0 == "/" || Terminal.isUnprintable($0) ? "_" : String($0) }.joined()
        return ["", ".", ".."].contains(name) ? "index" : name
    }

    /// Cuts a name before its ending, such as `.png`, and to a length that files may have.
    private static func parts(of name: String) -> (stem: String, ending: String) {
        guard let dot = name.unicodeScalars.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8.count <= 20
        else {
            return (name.prefix(utf8Count: Self.limit), "")
        }
        return (name[..<dot].prefix(utf8Count: Self.limit), String(name[dot...]))
    }
}

extension StringProtocol {
    /// The scalars at the beginning that have no more than so many bytes.
    fileprivate func prefix(utf8Count: Int) -> String {
        guard self.utf8.count > utf8Count else { return String(self) }
        var (beginning, count) = (String.UnicodeScalarView(), 0)
        for scalar in self.unicodeScalars {
            count += scalar.utf8.count
            guard count <= utf8Count else { break }
            beginning.append(scalar)
        }
        return String(beginning)
    }
}
