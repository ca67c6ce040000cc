public import struct Foundation.URL

/// Whether an upload goes on where it was interrupted, and by which protocol.
///
/// The content has to be a file, bytes, or a ``BodyStream`` that can be read from an offset on; any other fails with
/// ``ErrandError/Code/unsupported``. What is sent is the content as it is, with the coding that it has.
///
/// A connection that is lost, or an attempt whose deadline passes, is followed by the question how much the server has,
/// and by the rest: at once, and after 1, 3 and 5 seconds when that brought nothing. What the server may have carried
/// out is not sent twice.
public struct UploadResumption: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case never
        case draft(version: Int)
        case tus(chunkSize: Int64?, metadata: [String: String], sendsWithCreation: Bool)
    }

    /// The interop versions of the draft that are known.
    package static var interopVersions: ClosedRange<Int> { UploadDialect.draftVersions }

    package let kind: Kind
    /// The folder of the records of uploads; `nil` for those that end with their call.
    package let folder: URL?

    /// An upload that is interrupted fails.
    public static let never = UploadResumption(kind: .never, folder: nil)

    /// By the draft of the IETF, *draft-ietf-httpbis-resumable-upload*, if the server offers that.
    ///
    /// The request is sent as it is, with three fields more. A server that can resume it says so while the content is on
    /// its way, in an interim response with the status 104; over a transport that does not report those, and with a server
    /// that sends none, an interrupted upload fails as with ``never``.
    ///
    /// Some servers refuse a request for a version of the draft that they do not know, with 400, 412, 417 or 501. Then the
    /// content is sent once more with the version that the server names, or with 6, and after another such response
    /// without an offer. The response to that is the response of the request. A 412 to a request with a condition, and a
    /// 417 to one with an `Expect`, are its response at once, as is each other status.
    public static let automatic = UploadResumption(kind: .draft(version: 8), folder: nil)

    /// The same, so that the next call for the same content goes on where this one was ended, also by the end of the
    /// process.
    ///
    /// - Parameters:
    ///   - folder: A folder for records of what is under way: which file is uploaded to which place. It is made where
    ///     there is none, and is for this user alone, because whoever knows that place may change the upload. `nil` for
    ///     no records; with one a stream cannot be uploaded.
    ///   - interopVersion: The interop version of the draft that is offered first, from 3 to 8; servers offer what they
    ///     know of these. Another one fails the request with ``ErrandError/Code/unsupported``.
    /// - Returns: The setting.
    public static func automatic(in folder: URL?, interopVersion: Int = 8) -> UploadResumption {
        UploadResumption(kind: .draft(version: interopVersion), folder: folder)
    }

    /// By tus 1.0.0, with a server that has it.
    public static let tus = UploadResumption.tus(in: nil)

    /// By tus 1.0.0, so that the next call for the same content goes on where this one was ended.
    ///
    /// The upload is created by a `POST` to the URL of the endpoint, whatever its method; the response of the request is
    /// the last one, which has no content.
    ///
    /// - Parameters:
    ///   - folder: A folder for records of what is under way, as for ``automatic(in:interopVersion:)``;
    ///     `nil` for none.
    ///   - chunkSize: The most bytes that are sent with one request; `nil` for as many as there are.
    ///   - metadata: What the server is told about the content (`Upload-Metadata`); the name of the file and its media
    ///     type are added, as `filename` and `filetype`, unless they are there.
    ///   - sendsWithCreation: Whether content goes with the request that creates the upload, which saves a round trip with
    ///     a server that knows the extension `creation-with-upload`. What is lost with that request is not resumed;
    ///     without content the request is repeated.
    /// - Returns: The setting.
    public static func tus(
        in folder: URL?, chunkSize: Int64? = nil, metadata: [String: String] = [:], sendsWithCreation: Bool = false
    ) -> UploadResumption {
        let kind = Kind.tus(chunkSize: chunkSize, metadata: metadata, sendsWithCreation: sendsWithCreation)
        return UploadResumption(kind: kind, folder: folder)
    }
}
