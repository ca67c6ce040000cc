#if canImport(Darwin)
    internal import Dispatch
    internal import Foundation

    extension Platform {
        static var name: String {
            #if os(macOS)
                "macOS"
            #elseif os(iOS)
                "iOS"
            #elseif os(tvOS)
                "tvOS"
            #elseif os(watchOS)
                "watchOS"
            #else
                "visionOS"
            #endif
        }

        static var preferredLanguages: [String]? { Locale.preferredLanguages }

        static var cachesFolder: URL? { URL.cachesDirectory }

        static func excludeFromBackup(_ path: String) {
            var (url, values) = (URL(filePath: path), URLResourceValues())
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
        }

        // On Apple platforms, `fsync` does not flush the drive.
        static func flushDrive(of descriptor: Int32) -> Bool { fcntl(descriptor, F_FULLFSYNC) == 0 }

        static func makeMemoryPressureSource() -> (any DispatchSourceProtocol)? {
            DispatchSource.makeMemoryPressureSource(
                eventMask: [.warning, .critical], queue: .global(qos: .utility))
        }
    }

    extension stat {
        var accessTime: timespec { self.st_atimespec }
        var modificationTime: timespec { self.st_mtimespec }
    }
#endif
