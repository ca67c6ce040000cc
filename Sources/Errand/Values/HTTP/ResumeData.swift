/// The part of an interrupted download to go on from, for an app that keeps that by itself.
///
/// It is in ``ErrandError/Context/resumeData`` of the error that a resumable download ends with, and goes to the next one
/// with ``DownloadResumption/from(_:in:segments:)``. It has none of the body, but names the folder in which that is: by its
/// name alone, so that it stays of use where all of an app's files are moved. It has no secrets.
public struct ResumeData: Sendable, Hashable {
    /// The number of bytes of the body that are there.
    public let receivedBytes: Int64
    /// The length of the body in bytes, where that is known.
    public let totalBytes: Int64?
    /// The name of the folder with what has come.
    let folder: String
    /// The digest of the URL.
    let url: String
    /// The digest of what the bytes are a part of.
    let representation: String

    init(receivedBytes: Int64, totalBytes: Int64?, folder: String, url: String, representation: String) {
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
        self.folder = folder
        self.url = url
        self.representation = representation
    }

    /// What the names of such folders end with.
    static let folderSuffix = ".partial"
}

extension ResumeData: Codable {
    private enum CodingKeys: CodingKey {
        case receivedBytes, totalBytes, folder, url, representation
    }

    /// Reads it.
    ///
    /// - Throws: `DecodingError` where it is none, or names anything but a hidden folder of a download.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let folder = try container.decode(String.self, forKey: .folder)
        let isName =
            folder.startsExactly(with: ".") && folder.endsExactly(with: Self.folderSuffix) && folder.utf8.count <= 255
        guard isName, folder.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != 0 }) else {
            throw DecodingError.dataCorruptedError(
                forKey: .folder, in: container, debugDescription: "this is no folder of a download")
        }
        self.init(
            receivedBytes: try container.decode(Int64.self, forKey: .receivedBytes),
            totalBytes: try container.decodeIfPresent(Int64.self, forKey: .totalBytes), folder: folder,
            url: try container.decode(String.self, forKey: .url),
            representation: try container.decode(String.self, forKey: .representation))
    }
}
