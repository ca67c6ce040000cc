/// The version of this package.
package enum LibraryVersion {
    /// The version in `User-Agent` and `--version`.
    package static let current = "0.1.0"
}
