public import struct Foundation.URL

/// The destination of a response body.
public struct ResponseDestination: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case memory
        // Indirect: it is rare and large, and would increase the size of every waiting request.
        indirect case file(FileTarget)
        case stream(buffer: Int)
    }

    /// The policy for an existing file at the destination.
    public enum ExistingFile: Sendable, Hashable {
        /// The new file replaces it atomically.
        case replace
        /// The new file's name gets a number, as in `report-2.pdf`.
        case keepBoth
        /// The request fails with ``ErrandError/Code/fileFailed`` when the body has been received.
        case fail
    }

    package let kind: Kind
    /// The resumption of a download to a file.
    package var resumption = DownloadResumption.never
    /// The required digest of the body in a file, in hexadecimal digits.
    package var sha256: String?

    /// Stores the body in memory, up to ``ClientConfiguration/Limits/responseBody``.
    public static let memory = ResponseDestination(kind: .memory)

    /// Writes the body to a file, however large it is.
    ///
    /// The file appears only when the response is complete and accepted: the body is first written to a temporary file
    /// in the same folder. An endpoint with this destination gets a response whose body is that file.
    ///
    /// - Parameters:
    ///   - url: The destination, in an existing folder.
    ///   - existing: The policy for an existing file.
    ///   - resuming: The policy for an interrupted download; only a `GET` can be resumed.
    ///   - sha256: The SHA-256 digest of the content, as 64 hexadecimal digits. If the body has another digest, the
    ///     request fails with ``ErrandError/Code/digestMismatch``, and the file does not appear.
    /// - Returns: The destination.
    public static func file(
        _ url: URL, existing: ExistingFile = .replace, resuming: DownloadResumption = .never, sha256: String? = nil
    ) -> ResponseDestination {
        let target = FileTarget(url: url, isFolder: false, existing: existing)
        return ResponseDestination(kind: .file(target), resumption: resuming, sha256: sha256)
    }

    /// Writes the body to a file in a folder, under the name that the server suggests.
    ///
    /// The name comes from `Content-Disposition` (RFC 6266), or else from the last component of the URL's path, or else
    /// is `download`. Whatever the server says, the file is directly in the folder, and its name neither begins with a
    /// dot nor contains invisible characters.
    ///
    /// - Parameters:
    ///   - folder: An existing folder.
    ///   - existing: The policy for an existing file with that name.
    ///   - resuming: The policy for an interrupted download; only a `GET` can be resumed.
    ///   - sha256: The SHA-256 digest of the content, as 64 hexadecimal digits.
    /// - Returns: The destination.
    public static func folder(
        _ folder: URL, existing: ExistingFile = .keepBoth, resuming: DownloadResumption = .never, sha256: String? = nil
    ) -> ResponseDestination {
        let target = FileTarget(url: folder, isFolder: true, existing: existing)
        return ResponseDestination(kind: .file(target), resumption: resuming, sha256: sha256)
    }

    /// True for a file whose name is known before the response.
    var isOneFile: Bool { if case .file(let target) = self.kind { !target.isFolder } else { false } }

    /// Streams the body to a reader, with a maximum number of unread bytes.
    package static func stream(buffer: Int) -> ResponseDestination {
        ResponseDestination(kind: .stream(buffer: buffer))
    }
}
