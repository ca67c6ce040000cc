public import Foundation

extension DiskCache {
    /// The folder for this app in the system's cache directory.
    ///
    /// It need not exist. On Linux, the cache directory is `XDG_CACHE_HOME`, or `~/.cache` by default.
    public static var standardFolder: URL {
        let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        // The process name is arbitrary.
        let plain = name.replacingExactly("/", with: "_")
        return self.systemFolder
            .appending(path: [".", "..", ""].contains(plain) ? "_" : plain, directoryHint: .isDirectory)
            .appending(path: "Errand", directoryHint: .isDirectory)
    }

    private static var systemFolder: URL {
        if let folder = Platform.cachesFolder { return folder }
        // The XDG Base Directory Specification requires ignoring relative paths.
        if let path = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"], path.startsExactly(with: "/") {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return URL.homeDirectory.appending(path: ".cache", directoryHint: .isDirectory)
    }
}
