internal import Dispatch
internal import Foundation

/// The services that only some systems have.
///
/// Each system has a file with its own values.
protocol PlatformServices {
    /// The name of the system, as in `User-Agent`.
    static var name: String { get }

    /// The user's preferred languages, best first, as language tags; `nil` if the environment has them.
    static var preferredLanguages: [String]? { get }

    /// The folder for caches of this app; `nil` if the environment names it.
    static var cachesFolder: URL? { get }

    /// Excludes a file or a folder from the backups of the system, if it has any.
    static func excludeFromBackup(_ path: String)

    /// Flushes a file to its drive; returns `false` if `fsync` does that, or the file system does not support it.
    static func flushDrive(of descriptor: Int32) -> Bool

    /// A source, not activated yet, of an event whenever memory is short; `nil` if the system reports none.
    static func makeMemoryPressureSource() -> (any DispatchSourceProtocol)?
}

/// The system that this program runs on.
enum Platform: PlatformServices {}
