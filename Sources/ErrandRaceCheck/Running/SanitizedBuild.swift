internal import Foundation

/// The programs in a folder that tests were built in, one of which has the thread sanitizer.
///
/// Where they are is a matter of the build system, and of the platform: all that can be run is looked at.
struct SanitizedBuild {
    /// The name of a function of the sanitizer that each of its programs calls; in two parts, or this would be one.
    private static let mark = Data("__tsan".utf8) + Data("_func_entry".utf8)

    private let folder: URL

    /// Names the folder.
    init(in folder: URL) {
        self.folder = folder
    }

    /// Whether a program, or a library that one loads, calls the sanitizer.
    ///
    /// - Complexity: Linear in the size of the programs until the first that does; the largest is looked at first.
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

    /// What is there besides programs, and the build for simulated tests, which has no sanitizer.
    private static let others: Set<String> = [
        "simulated", "race-check-reports", "checkouts", "repositories", "artifacts", "index-build",
    ]
}
