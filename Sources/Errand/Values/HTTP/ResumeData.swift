/// The data to resume an interrupted download, for an app that stores it itself.
///
/// It is in the ``ErrandError/Context/resumeData`` of the error that ends a resumable download, and is passed to the
/// next one with ``DownloadResumption/from(_:in:segments:)``. It does not contain the body, but the name of the folder
/// with the partial body, without its path, so that it stays valid if all of an app's files are moved. It contains no
/// secrets.
public struct ResumeData: Sendable, Hashable {
    /// The number of bytes of the body that are present.
    public let receivedBytes: Int64
    /// The length of the body in bytes, if known.
    public let totalBytes: Int64?
    /// The name of the folder with the partial body.
    let folder: String
    /// The digest of the URL.
    let url: String
    /// The digest of the representation.
    let representation: String

    init(receivedBytes: Int64, totalBytes: Int64?, folder: String, url: String, representation: String) {
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
        self.folder = folder
        self.url = url
        self.representation = representation
    }

    /// The suffix of the names of such folders.
    static let folderSuffix = ".partial"
}

extension ResumeData: Codable {
    private enum CodingKeys: CodingKey {
        case receivedBytes, totalBytes, folder, url, representation
    }

    /// Decodes the data.
    ///
    /// - Throws: `DecodingError` if it is invalid, or names anything but a hidden folder of a download.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let folder = try container.decode(String.self, forKey: .folder)
        let isName =
            folder.startsExactly(with: ".") && folder.endsExactly(with: Self.folderSuffix) && folder.utf8.count <= 255
        guard isName, folder.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != 0 }) else {
            throw DecodingError.dataCorruptedError(
                forKey: .folder, in: container, debugDescription: "this is not the folder of a download")
        }
        self.init(
            receivedBytes: try container.decode(Int64.self, forKey: .receivedBytes),
            totalBytes: try container.decodeIfPresent(Int64.self, forKey: .totalBytes), folder: folder,
            url: try container.decode(String.self, forKey: .url),
            representation: try container.decode(String.self, forKey: .representation))
    }
}
