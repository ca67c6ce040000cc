public import struct Foundation.URL

/// Whether a download goes on where an earlier one was interrupted.
///
/// A part of a body is kept only where the server names a strong validator of it, an entity tag or a date (RFC 9110
/// §8.8), and goes on only if the server says that the representation is the same one (`If-Range`, §13.1.5). In every
/// other case, and whenever a response contradicts what is there, the download begins again.
public struct DownloadResumption: Sendable, Hashable {
    // Indirect: rare and large, they would make every request that waits larger.
    package indirect enum Kind: Sendable, Hashable {
        case never
        case automatic(folder: URL?, segments: Int)
        case from(ResumeData, folder: URL?, segments: Int)
    }

    package let kind: Kind

    /// A download that is interrupted leaves nothing, and the next one begins again.
    public static let never = DownloadResumption(kind: .never)

    /// A lost connection is resumed at once, as long as each connection brings something, and not more than 16 in a row
    /// fewer than 4 KiB; and the next request for the same URL and file goes on where this one was ended by an error, a
    /// cancellation or the end of the process.
    ///
    /// What has come is kept in a hidden folder beside the file until the download is complete. While one request
    /// downloads a file, others for the same file do so as with ``never``, and the last one to end replaces it.
    public static let automatic = DownloadResumption(kind: .automatic(folder: nil, segments: 1))

    /// The same, with what has come in a folder that nobody else may use, or over several connections at once.
    ///
    /// Several connections are of use where a server, or what is in between, limits how fast each of them is. The first
    /// request asks for the first mebibyte. If the server answers with that, with a strong validator, and says how long
    /// the body is, the rest is asked for in segments of about the same size, none smaller than a mebibyte, each by an
    /// exchange of its own: with a slot of its own (``RequestScheduler/Limits``), so that there are fewer at once where slots are
    /// few, and with the deadlines of an attempt. A server that answers with all of the body is read as by ``automatic``;
    /// where it contradicts itself later, the download begins again with one connection. A segment that is lost is asked
    /// for again when the others have ended, divided anew. Where segments meet, what has come is copied: the disk needs
    /// room for one segment more than the file.
    ///
    /// - Parameters:
    ///   - folder: Where what has come is kept, on the volume of the file; `nil` for a hidden folder beside the file.
    ///   - segments: How many exchanges there are at once, at most: from 1 to 16, and the nearest of these for others.
    /// - Returns: The resumption.
    public static func automatic(in folder: URL? = nil, segments: Int = 1) -> DownloadResumption {
        DownloadResumption(kind: .automatic(folder: folder, segments: Self.bounded(segments)))
    }

    /// A download that goes on from what an earlier one ended with, and is as by ``automatic(in:segments:)`` besides.
    ///
    /// Where the file goes may have changed, and with it where the folder with what has come is, as long as that lies
    /// beside the file, or in the folder that is given. If it is gone, damaged, or of another URL than that of the request,
    /// the download begins again.
    ///
    /// - Parameters:
    ///   - data: From the context of an error (``ErrandError/Context/resumeData``).
    ///   - folder: Where what has come is kept; `nil` for the folder of the file.
    ///   - segments: How many exchanges there are at once, at most.
    /// - Returns: The resumption.
    public static func from(_ data: ResumeData, in folder: URL? = nil, segments: Int = 1) -> DownloadResumption {
        DownloadResumption(kind: .from(data, folder: folder, segments: Self.bounded(segments)))
    }

    private static func bounded(_ segments: Int) -> Int { max(1, min(segments, 16)) }

    /// The most exchanges at once.
    package var segments: Int {
        switch self.kind {
        case .never: 1
        case .automatic(_, let segments), .from(_, _, let segments): segments
        }
    }

    /// Where what has come is kept, if the caller has said that.
    var folder: URL? {
        switch self.kind {
        case .never: nil
        case .automatic(let folder, _), .from(_, let folder, _): folder
        }
    }

    /// What the download goes on from, if the caller has said that.
    var resumeData: ResumeData? {
        if case .from(let data, _, _) = self.kind { data } else { nil }
    }

    /// Removes what interrupted downloads of a file have left; of those into a folder nothing is known by their file.
    ///
    /// - Parameter file: Where the file was to go.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed`` while the download is under way, or if
    ///   the folder cannot be used.
    public func discardPartialDownload(of file: URL) throws(ErrandError) {
        guard self.kind != .never else { return }
        try PartialDownload.discard(for: file, in: self.folder, named: self.resumeData?.folder)
    }
}
