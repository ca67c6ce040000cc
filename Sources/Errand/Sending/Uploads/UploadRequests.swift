internal import Foundation

/// The requests of an upload.
struct UploadRequests: Sendable {
    /// The caller's request.
    let original: HTTPRequest
    /// The fields that must not be sent to another origin.
    let credentials: CredentialFields
    let source: UploadSource

    /// Returns the initial request of an upload in the draft: the caller's, with an offer to resume it; `nil` adds no
    /// offer.
    func offer(_ dialect: UploadDialect?) -> HTTPRequest {
        var request = self.original
        request.headers = HTTPFields(request.headers.filter { !$0.isOfUploads })
        request.body = self.source.body
        guard let dialect else { return request }
        dialect.identify(&request)
        dialect.mark(&request, isLast: true)
        // Earlier versions do not have this field.
        if case .draft(6...) = dialect, let length = self.source.length {
            request.headers["Upload-Length"] = "\(length)"
        }
        return request
    }

    /// The request that creates an upload in tus.
    ///
    /// - Parameters:
    ///   - metadata: Metadata of the content, besides its name and type.
    ///   - count: The number of content bytes sent with it; `nil` for none.
    /// - Returns: The request.
    /// - Throws: ``ErrandError`` if it cannot be made.
    func creation(_ metadata: [String: String], with count: Int64?) throws(ErrandError) -> HTTPRequest {
        var request = self.request(.post, to: self.original.url)
        request.headers["Idempotency-Key"] = self.original.headers["Idempotency-Key"]
        UploadDialect.tus.identify(&request)
        guard let length = self.source.length else {
            throw ErrandError(.unsupported, "an upload with tus needs content of known length")
        }
        request.headers["Upload-Length"] = "\(length)"
        var metadata = metadata
        metadata["filename"] = metadata["filename"] ?? self.source.filename
        metadata["filetype"] = metadata["filetype"] ?? self.original.headers[HTTPField.Name.contentType]
        if !metadata.isEmpty { request.headers["Upload-Metadata"] = try Self.text(of: metadata) }
        guard let count else { return request }
        request.headers[HTTPField.Name.contentType] = UploadDialect.tus.appendedType
        request.body = try self.source.content(from: 0, count: count)
        return request
    }

    /// Returns the request for the server's offset.
    func question(at location: HTTPURL, _ dialect: UploadDialect) -> HTTPRequest {
        var request = self.request(.head, to: location)
        dialect.identify(&request)
        return request
    }

    /// Returns the request that appends content.
    ///
    /// - Parameters:
    ///   - location: The upload URL.
    ///   - offset: The offset of the content.
    ///   - count: The number of bytes; `nil` for all.
    ///   - dialect: The protocol.
    /// - Returns: The request.
    /// - Throws: ``ErrandError`` if the content cannot be read.
    func append(
        to location: HTTPURL, from offset: Int64, count: Int64?, _ dialect: UploadDialect
    ) throws(ErrandError) -> HTTPRequest {
        var request = self.request(.patch, to: location)
        dialect.identify(&request)
        let isLast = self.source.length.map { offset + (count ?? 0) == $0 } ?? (count == nil)
        dialect.mark(&request, isLast: isLast)
        request.headers["Upload-Offset"] = "\(offset)"
        if let type = dialect.appendedType { request.headers[HTTPField.Name.contentType] = type }
        request.body = try self.source.content(from: offset, count: count)
        return request
    }

    /// Returns a request of the upload with the caller's fields, except those about its content or conditions, and
    /// without secrets for another origin.
    private func request(_ method: HTTPMethod, to url: HTTPURL) -> HTTPRequest {
        var request = self.original.redirected(to: url, by: .seeOther, without: self.credentials)
        request.method = method
        request.headers = HTTPFields(
            request.headers.filter { field in
                let name = field.name.asciiLowercased()
                return !name.startsExactly(with: "if-") && name != "idempotency-key" && !field.isOfUploads
            })
        return request
    }

    /// Returns the value of `Upload-Metadata`: pairs of a key and Base64 text.
    private static func text(of metadata: [String: String]) throws(ErrandError) -> String {
        var pairs: [String] = []
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            guard !key.isEmpty, key.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ",") }) else {
                throw ErrandError(.invalidRequest, "\"\(key)\" cannot be a key of Upload-Metadata")
            }
            pairs.append(value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())")
        }
        return pairs.joined(separator: ",")
    }
}

extension HTTPField {
    /// True for a field about uploads, which only the upload itself sets.
    fileprivate var isOfUploads: Bool {
        let name = self.name.asciiLowercased()
        return name.startsExactly(with: "upload-") || name.startsExactly(with: "tus-")
    }
}
