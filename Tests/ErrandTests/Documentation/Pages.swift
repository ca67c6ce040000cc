internal import Foundation

/// The pages of the project and the examples of the documentation's tests, as text.
enum Pages {
    private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The paths of all pages, from the root of the package: those at the top, and the articles of each product.
    static let all: [String] = ["README.md", "CONTRIBUTING.md"] + catalogues.flatMap(articles(in:))

    /// The catalogues of the products, as paths from the root of the package.
    static let catalogues: [String] = folders(in: "Sources").map { "Sources/\($0)/\($0).docc" }.filter(exists)

    /// The script that does what some pages say, with the files that they name.
    static let script = "Tests/NewUser/follow"

    static func text(of page: String) throws -> String {
        try String(contentsOf: self.root.appending(path: page), encoding: .utf8)
    }

    /// The files with examples of all products, with every run of white space as one space.
    static func examples() throws -> [String] {
        let folders = self.folders(in: "Tests").map { "Tests/\($0)/Documentation" }.filter(self.exists)
        return try folders.flatMap { folder in
            try self.files(in: folder).filter { $0.hasSuffix(".swift") }.map {
                CodeBlock.normalize(try self.text(of: $0))
            }
        }
    }

    private static func articles(in catalogue: String) -> [String] {
        (try? self.files(in: catalogue))?.filter { $0.hasSuffix(".md") } ?? []
    }

    private static func files(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: self.root.appending(path: folder).path).sorted()
            .map { "\(folder)/\($0)" }
    }

    private static func folders(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: self.root.appending(path: folder).path).sorted()) ?? []
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: self.root.appending(path: path).path)
    }
}
