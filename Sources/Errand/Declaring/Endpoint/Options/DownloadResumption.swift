public import struct Foundation.URL

/// The resumption of interrupted downloads.
///
/// A partial body is kept only if the server names a strong validator, an entity tag or a date (RFC 9110 §8.8), and
/// continued only if the server confirms that the representation has not changed (`If-Range`, §13.1.5). In every other
/// case, and whenever a response contradicts the kept part, the download starts again.
public struct DownloadResumption: Sendable, Hashable {
    // Indirect: its cases are rare and large, and would increase the size of every waiting request.
    package indirect enum Kind: Sendable, Hashable {
        case never
        case automatic(folder: URL?, segments: Int)
        case from(ResumeData, folder: URL?, segments: Int)
    }

    package let kind: Kind

    /// Discards an interrupted download; the next one starts again.
    public static let never = DownloadResumption(kind: .never)

    /// Resumes a download after a lost connection, a failure, a cancellation or the end of the process.
    ///
    /// A lost connection is resumed at once, as long as each connection makes progress and no more than 16 in a row
    /// bring fewer than 4 KiB. If an error, a cancellation or the end of the process ends the request, the next request
    /// for the same URL and file continues.
    ///
    /// The partial body is kept in a hidden folder beside the file until the download is complete. While one request
    /// downloads a file, other requests for the same file behave as with ``never``, and the last one to end replaces
    /// it.
    public static let automatic = DownloadResumption(kind: .automatic(folder: nil, segments: 1))

    /// Resumes like ``automatic``, with the partial body in a given folder, or over several connections at once.
    ///
    /// Several connections help if the server or an intermediary limits the rate of each. The first request asks for
    /// the first mebibyte. If the response has that range, a strong validator and the length of the body, the rest is
    /// requested in segments of about equal size, none smaller than a mebibyte. Each segment is a separate exchange
    /// with its own slot (``RequestScheduler/Limits``), so fewer run at once if slots are scarce, and with the
    /// deadlines of an attempt. If the server sends the whole body instead, it is read as by ``automatic``; if the
    /// server contradicts itself later, the download starts again with one connection. A lost segment is divided and
    /// requested again when the others have ended. Segments are joined by copying: the disk needs space for one segment
    /// besides the file.
    ///
    /// - Parameters:
    ///   - folder: The folder for the partial body, on the volume of the file and not used by others; `nil` uses a
    ///     hidden folder beside the file.
    ///   - segments: The maximum number of exchanges at once, clamped to 1 through 16.
    /// - Returns: The resumption.
    public static func automatic(in folder: URL? = nil, segments: Int = 1) -> DownloadResumption {
        DownloadResumption(kind: .automatic(folder: folder, segments: Self.bounded(segments)))
    }

    /// Continues the download described by resume data, and otherwise resumes like ``automatic(in:segments:)``.
    ///
    /// The destination may have changed, along with the partial folder beside it or the given folder. If the partial
    /// body is missing or damaged, or belongs to another URL than that of the request, the download starts again.
    ///
    /// - Parameters:
    ///   - data: The resume data in the context of an error (``ErrandError/Context/resumeData``).
    ///   - folder: The folder for the partial body; `nil` uses the folder of the file.
    ///   - segments: The maximum number of exchanges at once.
    /// - Returns: The resumption.
    public static func from(_ data: ResumeData, in folder: URL? = nil, segments: Int = 1) -> DownloadResumption {
        DownloadResumption(kind: .from(data, folder: folder, segments: Self.bounded(segments)))
    }

    private static func bounded(_ segments: Int) -> Int { max(1, min(segments, 16)) }

    /// The maximum number of exchanges at once.
    package var segments: Int {
        switch self.kind {
        case .never: 1
        case .automatic(_, let segments), .from(_, _, let segments): segments
        }
    }

    /// The folder for the partial body, if the caller set one.
    var folder: URL? {
        switch self.kind {
        case .never: nil
        case .automatic(let folder, _), .from(_, let folder, _): folder
        }
    }

    /// The resume data, if the caller set it.
    var resumeData: ResumeData? {
        if case .from(let data, _, _) = self.kind { data } else { nil }
    }

    /// Removes the partial body of interrupted downloads to a file; downloads into a folder cannot be found by their
    /// file.
    ///
    /// - Parameter file: The destination of the download.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed`` while the download is in flight, or if
    ///   the folder cannot be used.
    public func discardPartialDownload(of file: URL) throws(ErrandError) {
        guard self.kind != .never else { return }
        try PartialDownload.discard(for: file, in: self.folder, named: self.resumeData?.folder)
    }
}
