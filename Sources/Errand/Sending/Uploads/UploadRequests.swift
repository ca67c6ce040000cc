internal import Foundation

/// The requests that an upload consists of.
struct UploadRequests: Sendable {
    /// The request of the caller.
    let original: HTTPRequest
    /// Knows the fields that must not reach another origin.
    let credentials: CredentialFields
    let source: UploadSource

    /// The request that begins an upload in the draft: that of the caller, with an offer to resume it; `nil` for none.
    func offer(_ dialect: UploadDialect?) -> HTTPRequest {
        var request = self.original
        request.headers = HTTPFields(request.headers.filter { !$0.isOfUploads })
        request.body = self.source.body
        guard let dialect else { return request }
        dialect.identify(&request)
        dialect.mark(&request, isLast: true)
        // Earlier versions do not know the field.
        if case .draft(6...) = dialect, let length = self.source.length {
            request.headers["Upload-Length"] = "\(length)"
        }
        return request
    }

    /// The request that creates an upload in tus.
    ///
    /// - Parameters:
    ///   - metadata: What the server is told about the content, besides its name and type.
    ///   - count: How much of the content goes with it; `nil` for none.
    /// - Returns: The request.
    /// - Throws: ``ErrandError`` when it cannot be made.
    func creation(_ metadata: [String: String], with count: Int64?) throws(ErrandError) -> HTTPRequest {
        var request = self.request(.post, to: self.original.url)
        request.headers["Idempotency-Key"] = self.original.headers["Idempotency-Key"]
        UploadDialect.tus.identify(&request)
        guard let length = self.source.length else {
            throw ErrandError(.unsupported, "an upload with tus has to know the length of its content")
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

    /// The request that asks how much the server has.
    func question(at location: HTTPURL, _ dialect: UploadDialect) -> HTTPRequest {
        var request = self.request(.head, to: location)
        dialect.identify(&request)
        return request
    }

    /// The request that goes on with an upload.
    ///
    /// - Parameters:
    ///   - location: Where the upload is.
    ///   - offset: Where the content begins.
    ///   - count: How many bytes it has; `nil` for all.
    ///   - dialect: How the server is talked to.
    /// - Returns: The request.
    /// - Throws: ``ErrandError`` when the content cannot be read.
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

    /// A request of the upload: with the fields of the caller's that are not about its content, or about conditions for
    /// it, and without secrets where they do not belong.
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

    /// The value of `Upload-Metadata`: pairs of a key and a text in Base64.
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
    /// Whether it says something about an upload, which nobody but the upload itself knows.
    fileprivate var isOfUploads: Bool {
        let name = self.name.asciiLowercased()
        return name.startsExactly(with: "upload-") || name.startsExactly(with: "tus-")
    }
}
