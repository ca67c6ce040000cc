public import struct Foundation.URL

/// Where the body of a response goes.
public struct ResponseDestination: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case memory
        // Indirect: rare and large, it would make every request that waits larger.
        indirect case file(FileTarget)
        case stream(buffer: Int)
    }

    /// What happens when there is a file already where a body is to go.
    public enum ExistingFile: Sendable, Hashable {
        /// The new file takes its place, in one step.
        case replace
        /// The new file gets a number behind its name, as in `report-2.pdf`.
        case keepBoth
        /// The request fails with ``ErrandError/Code/fileFailed``, when the body has come.
        case fail
    }

    package let kind: Kind
    /// Whether a download into a file goes on where an earlier one was interrupted.
    package var resumption = DownloadResumption.never
    /// The digest that the body in a file must have, in hexadecimal digits.
    package var sha256: String?

    /// Into memory, up to ``ClientConfiguration/Limits/responseBody``.
    public static let memory = ResponseDestination(kind: .memory)

    /// Into a file, however large it is.
    ///
    /// The file appears when the response is complete and accepted, and not before: the body is first written beside
    /// it, into the same folder, under another name. An endpoint that says this gets a response whose body is that file.
    ///
    /// - Parameters:
    ///   - url: Where the file goes, in a folder that exists.
    ///   - existing: What happens when there is one already.
    ///   - resuming: Whether an interrupted download goes on where it was; only a `GET` can.
    ///   - sha256: The SHA-256 digest of the content, as 64 hexadecimal digits. A body with another one is no response:
    ///     the request fails with ``ErrandError/Code/digestMismatch``, and the file does not appear.
    /// - Returns: The destination.
    public static func file(
        _ url: URL, existing: ExistingFile = .replace, resuming: DownloadResumption = .never, sha256: String? = nil
    ) -> ResponseDestination {
        let target = FileTarget(url: url, isFolder: false, existing: existing)
        return ResponseDestination(kind: .file(target), resumption: resuming, sha256: sha256)
    }

    /// Into a file in a folder, with the name that the server suggests in `Content-Disposition` (RFC 6266), or else the
    /// last component of the URL's path, or else `download`.
    ///
    /// Whatever a server says, the file is in the folder itself, and its name neither begins with a dot nor has
    /// characters that cannot be seen.
    ///
    /// - Parameters:
    ///   - folder: A folder that exists.
    ///   - existing: What happens when there is a file with that name already.
    ///   - resuming: Whether an interrupted download goes on where it was; only a `GET` can.
    ///   - sha256: The SHA-256 digest of the content, as 64 hexadecimal digits.
    /// - Returns: The destination.
    public static func folder(
        _ folder: URL, existing: ExistingFile = .keepBoth, resuming: DownloadResumption = .never, sha256: String? = nil
    ) -> ResponseDestination {
        let target = FileTarget(url: folder, isFolder: true, existing: existing)
        return ResponseDestination(kind: .file(target), resumption: resuming, sha256: sha256)
    }

    /// Returns `true` for a file that has its name already.
    var isOneFile: Bool { if case .file(let target) = self.kind { !target.isFolder } else { false } }

    /// To a reader, with at most so many bytes waiting for it.
    package static func stream(buffer: Int) -> ResponseDestination {
        ResponseDestination(kind: .stream(buffer: buffer))
    }
}
