internal import Errand

/// Names files after URLs, no two of them alike on any file system.
///
/// A name is one component of a path, never leads elsewhere and never begins with a dot.
struct OutputNames {
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

    /// The last component of the path, decoded, without what the name of a file must not have.
    static func component(_ url: HTTPURL) -> String { url.suggestedFilename ?? "index" }

    /// Cuts a name before its ending, such as `.png`.
    private static func parts(of name: String) -> (stem: String, ending: String) {
        let dot = name.unicodeScalars.lastIndex(of: ".") ?? name.endIndex
        return name[dot...].utf8.count <= 20 ? (String(name[..<dot]), String(name[dot...])) : (name, "")
    }
}
