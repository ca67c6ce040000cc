public import struct Foundation.URL

/// Whether a download goes on where an earlier one was interrupted.
///
/// A part of a body is kept only where the server names a strong validator of it, an entity tag or a date (RFC 9110
/// §8.8), and goes on only if the server says that the representation is the same one (`If-Range`, §13.1.5). In every
/// other case, and whenever a response contradicts what is there, the download begins again.
public struct DownloadResumption: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case never
        case automatic(folder: URL?)
    }

    package let kind: Kind

    /// A download that is interrupted leaves nothing, and the next one begins again.
    public static let never = DownloadResumption(kind: .never)

    /// A lost connection is resumed at once, as long as each connection brings something; and the next request for the
    /// same URL and file goes on where this one was ended by an error, a cancellation or the end of the process.
    ///
    /// What has come is kept in a hidden folder beside the file until the download is complete. While one request
    /// downloads a file, others for the same file do so as with ``never``, and the last one to end replaces it.
    public static let automatic = DownloadResumption(kind: .automatic(folder: nil))

    /// The same, with what has come in a folder that nobody else may use, on the same volume as the file.
    public static func automatic(in folder: URL) -> DownloadResumption {
        DownloadResumption(kind: .automatic(folder: folder))
    }

    /// Removes what interrupted downloads of a file have left; of those into a folder nothing is known by their file.
    ///
    /// - Parameter file: Where the file was to go.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed`` while the download is under way, or if
    ///   the folder cannot be used.
    public func discardPartialDownload(of file: URL) throws(ErrandError) {
        guard case .automatic(let folder) = self.kind else { return }
        try PartialDownload.discard(for: file, in: folder)
    }
}
