#if !canImport(Darwin)
    internal import Dispatch
    internal import Foundation

    extension Platform {
        static var name: String { "Linux" }

        static var preferredLanguages: [String]? { nil }

        static var cachesFolder: URL? { nil }

        static func excludeFromBackup(_ path: String) {}

        static func flushDrive(of descriptor: Int32) -> Bool { false }

        static func makeMemoryPressureSource() -> (any DispatchSourceProtocol)? { nil }
    }

    extension stat {
        var accessTime: timespec { self.st_atim }
        var modificationTime: timespec { self.st_mtim }
    }
#endif
