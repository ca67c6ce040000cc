public import struct Foundation.URL

/// The resumption of interrupted uploads, and its protocol.
///
/// The content has to be a file, bytes, or a ``BodyStream`` that can be read from an offset; any other fails with
/// ``ErrandError/Code/unsupported``. The content is sent as it is, with its existing content coding.
///
/// After a lost connection or an attempt that timed out, the server is asked for its offset and the rest is sent: at
/// once, and after 1, 3 and 5 seconds if no progress was made. A request that the server may have processed is not sent
/// twice.
public struct UploadResumption: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case never
        case draft(version: Int)
        case tus(chunkSize: Int64?, metadata: [String: String], sendsWithCreation: Bool)
    }

    /// The supported interop versions of the draft.
    package static var interopVersions: ClosedRange<Int> { UploadDialect.draftVersions }

    package let kind: Kind
    /// The folder of upload records; `nil` for uploads that end with their call.
    package let folder: URL?

    /// Fails an interrupted upload.
    public static let never = UploadResumption(kind: .never, folder: nil)

    /// Resumes by the IETF draft *draft-ietf-httpbis-resumable-upload*, if the server offers it.
    ///
    /// The request is sent with three additional fields. A server that supports resumption sends an interim response
    /// with the status 104 while it receives the content. If the server sends none, or the transport does not report
    /// it, an interrupted upload fails as with ``never``.
    ///
    /// Some servers reject an unknown version of the draft with 400, 412, 417 or 501. The content is then sent again
    /// with the version that the server names, or with version 6, and after another such response without the fields of
    /// the draft. The response to that is the response of the request. A 412 to a conditional request, a 417 to one
    /// with `Expect`, and any other status are the response of the request at once.
    public static let automatic = UploadResumption(kind: .draft(version: 8), folder: nil)

    /// Resumes by the IETF draft, so that the next call for the same content continues, even after the end of the
    /// process.
    ///
    /// - Parameters:
    ///   - folder: A folder for upload records: the file and the upload URL. It is created if missing, with access for
    ///     this user only, because knowing the upload URL allows changing the upload. `nil` keeps no records; with a
    ///     folder, a stream cannot be uploaded.
    ///   - interopVersion: The interop version of the draft that is offered first, from 3 to 8; servers choose a
    ///     version that they support. Any other fails the request with ``ErrandError/Code/unsupported``.
    /// - Returns: The resumption.
    public static func automatic(in folder: URL?, interopVersion: Int = 8) -> UploadResumption {
        UploadResumption(kind: .draft(version: interopVersion), folder: folder)
    }

    /// Resumes by tus 1.0.0, with a server that supports it.
    public static let tus = UploadResumption.tus(in: nil)

    /// Resumes by tus 1.0.0, so that the next call for the same content continues.
    ///
    /// The upload is created by a `POST` to the URL of the endpoint, whatever its method; the response of the request
    /// is the last one, which has no content.
    ///
    /// - Parameters:
    ///   - folder: A folder for upload records, as for ``automatic(in:interopVersion:)``; `nil` keeps none.
    ///   - chunkSize: The maximum number of bytes per request; `nil` sets no limit.
    ///   - metadata: Metadata of the content for the server (`Upload-Metadata`). The file's name and media type are
    ///     added as `filename` and `filetype` unless they are present.
    ///   - sendsWithCreation: Pass true to send content with the request that creates the upload, which saves a round
    ///     trip with a server that supports the extension `creation-with-upload`. If that request is lost, it is not
    ///     resumed; a request without content is repeated.
    /// - Returns: The resumption.
    public static func tus(
        in folder: URL?, chunkSize: Int64? = nil, metadata: [String: String] = [:], sendsWithCreation: Bool = false
    ) -> UploadResumption {
        let kind = Kind.tus(chunkSize: chunkSize, metadata: metadata, sendsWithCreation: sendsWithCreation)
        return UploadResumption(kind: kind, folder: folder)
    }
}
