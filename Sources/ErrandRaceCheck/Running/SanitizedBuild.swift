internal import Foundation

/// The programs in a folder of built tests, one of which has the thread sanitizer.
///
/// Their location depends on the build system and the platform, so all executable files are checked.
struct SanitizedBuild {
    /// The name of a sanitizer function that each of its programs calls; in two parts, so that this program is not one
    /// of them.
    private static let mark = Data("__tsan".utf8) + Data("_func_entry".utf8)

    private let folder: URL

    /// Creates a reference to the folder.
    init(in folder: URL) {
        self.folder = folder
    }

    /// True if a program, or a library that one loads, calls the sanitizer.
    ///
    /// - Complexity: Linear in the size of the programs until the first that does; the largest is checked first.
    var isThere: Bool {
        self.programs.sorted { $0.size > $1.size }.contains { program in
            guard let data = try? Data(contentsOf: program.url, options: .alwaysMapped) else { return false }
            return data.range(of: Self.mark) != nil
        }
    }

    private var programs: [(url: URL, size: Int)] {
        let keys: [URLResourceKey] = [.isRegularFileKey, .isExecutableKey, .fileSizeKey]
        let files = FileManager.default.enumerator(at: self.folder, includingPropertiesForKeys: keys)
        var programs: [(url: URL, size: Int)] = []
        while let url = files?.nextObject() as? URL {
            guard !Self.others.contains(url.lastPathComponent) else {
                files?.skipDescendants()
                continue
            }
            guard let values = try? url.resourceValues(forKeys: Set(keys)), values.isRegularFile == true,
                values.isExecutable == true
            else { continue }
            programs.append((url, values.fileSize ?? 0))
        }
        return programs
    }

    /// Files that are not programs, and the build for simulated tests, which has no sanitizer.
    private static let others: Set<String> = [
        "simulated", "race-check-reports", "checkouts", "repositories", "artifacts", "index-build",
    ]
}
