/// The version of this package.
package enum LibraryVersion {
    /// As `User-Agent` and `--version` tell it.
    package static let current = "0.1.0"
}
