public import Foundation

extension DiskCache {
    /// The folder for what this app keeps, in the place that the system has for caches; it need not exist.
    ///
    /// On Linux `XDG_CACHE_HOME` says where that is, and `~/.cache` is the default.
    public static var standardFolder: URL {
        let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        // A program may be called anything.
        let plain = name.replacingExactly("/", with: "_")
        return self.systemFolder
            .appending(path: [".", "..", ""].contains(plain) ? "_" : plain, directoryHint: .isDirectory)
            .appending(path: "Errand", directoryHint: .isDirectory)
    }

    private static var systemFolder: URL {
        #if !canImport(Darwin)
            // Others are to be ignored, says the XDG Base Directory Specification.
            if let path = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"], path.startsExactly(with: "/") {
                return URL(filePath: path, directoryHint: .isDirectory)
            }
            return URL.homeDirectory.appending(path: ".cache", directoryHint: .isDirectory)
        #else
            return URL.cachesDirectory
        #endif
    }
}
