internal import Errand

/// Creates file names for URLs, unique on any file system.
///
/// A name is a single path component that never begins with a dot.
struct OutputNames {
    /// The names used so far, in lowercase, since some file systems ignore case.
    private var taken: Set<String> = []
    /// The last number used for each name: smaller ones need not be tried again.
    private var numbers: [String: Int] = [:]

    /// Returns the name for the body of a URL: the last path component, or `index` if there is none, with a number if
    /// it was used before.
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

    /// The last path component, decoded, without characters that a file name must not have.
    static func component(_ url: HTTPURL) -> String { url.suggestedFilename ?? "index" }

    /// Splits a name before its extension, such as `.png`.
    private static func parts(of name: String) -> (stem: String, ending: String) {
        let dot = name.unicodeScalars.lastIndex(of: ".") ?? name.endIndex
        return name[dot...].utf8.count <= 20 ? (String(name[..<dot]), String(name[dot...])) : (name, "")
    }
}
