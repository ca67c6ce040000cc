internal import Foundation

/// The pages of the project and the examples of this folder, as text.
enum Pages {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The paths of all pages, from the root of the package.
    static let all: [String] = ["README.md", "CONTRIBUTING.md"] + articles(in: "Sources/Errand/Errand.docc")

    static func text(of page: String) throws -> String {
        try String(contentsOf: self.root.appending(path: page), encoding: .utf8)
    }

    /// The files of this folder, with every run of white space as one space.
    static func examples() throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(at: self.folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "swift" }.map { file in
            CodeBlock.normalize(try String(contentsOf: file, encoding: .utf8))
        }
    }

    private static func articles(in catalogue: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: self.root.appending(path: catalogue).path)
        let articles = names?.compactMap { $0 as? String }.filter { $0.hasSuffix(".md") } ?? []
        return articles.sorted().map { "\(catalogue)/\($0)" }
    }
}
