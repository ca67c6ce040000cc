public import struct Foundation.URL

/// Where the body of a response goes.
public struct ResponseDestination: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case memory
        case file(URL)
        case stream(buffer: Int)
    }

    package let kind: Kind
    /// Whether a download into a file goes on where an earlier one was interrupted.
    package var resumption = DownloadResumption.never
    /// The digest that the body in a file must have, in hexadecimal digits.
    package var sha256: String?

    /// Into memory, up to the limit of the configuration.
    public static let memory = ResponseDestination(kind: .memory)

    /// Into a file, however large it is.
    ///
    /// The file appears when the response is complete and accepted, and not before: the body is first written beside
    /// it, into the same folder, under another name. A file that was there is replaced. An endpoint that says this gets
    /// a response whose body is that file.
    ///
    /// - Parameters:
    ///   - url: Where the file goes, in a folder that exists.
    ///   - resuming: Whether an interrupted download goes on where it was; only a `GET` can.
    ///   - sha256: The SHA-256 digest of the content, as 64 hexadecimal digits. A body with another one is no response:
    ///     the request fails with ``ErrandError/Code/digestMismatch``, and the file does not appear.
    /// - Returns: The destination.
    public static func file(
        _ url: URL, resuming: DownloadResumption = .never, sha256: String? = nil
    ) -> ResponseDestination {
        ResponseDestination(kind: .file(url), resumption: resuming, sha256: sha256)
    }

    /// To a reader, with at most so many bytes waiting for it.
    package static func stream(buffer: Int) -> ResponseDestination {
        ResponseDestination(kind: .stream(buffer: buffer))
    }
}
