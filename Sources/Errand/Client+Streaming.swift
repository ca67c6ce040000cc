public import struct Foundation.URL

extension Client {
    /// Sends a call and writes its body to a file, however large it is.
    ///
    /// The file appears only when the response is complete and accepted, and replaces an existing one. Until then the
    /// body is written to a temporary file in the same folder, readable by this user only, which is removed on failure.
    /// A new file has the default permissions of the process; a replaced one keeps its own. Cancelling the task cancels
    /// the request.
    ///
    /// - Parameters:
    ///   - endpoint: The call; its decoding and caching declarations are ignored.
    ///   - file: The destination, in an existing folder.
    ///   - existing: The policy for an existing file.
    ///   - resuming: The policy for an interrupted download; only a `GET` can be resumed.
    ///   - sha256: The SHA-256 digest of the content, as 64 hexadecimal digits. If the body has another digest, the
    ///     call fails and the file does not appear.
    ///   - options: Options added to those of the endpoint.
    /// - Returns: The file with the head of the response.
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/fileFailed`` if the file cannot be written,
    ///   ``ErrandError/Code/digestMismatch`` if the body does not have the given digest.
    public func download<E: Endpoint>(
        _ endpoint: E, to file: URL, existing: ResponseDestination.ExistingFile = .replace,
        resuming: DownloadResumption = .never, sha256: String? = nil, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> DownloadedFile {
        let destination = ResponseDestination.file(file, existing: existing, resuming: resuming, sha256: sha256)
        return try await self.send(DownloadCall(base: endpoint), options: options.destination(destination))
    }

    /// Sends a call and writes its body to a file in a folder, under the name that the server suggests.
    ///
    /// The name comes from `Content-Disposition` (RFC 6266), or else from the path of the URL. Whatever the server
    /// says, the file is directly in the folder. It appears only when the response is complete and accepted.
    ///
    /// - Parameters:
    ///   - endpoint: The call; its decoding and caching declarations are ignored.
    ///   - folder: An existing folder.
    ///   - existing: The policy for an existing file with that name.
    ///   - resuming: The policy for an interrupted download; only a `GET` can be resumed.
    ///   - sha256: The SHA-256 digest of the content, as 64 hexadecimal digits.
    ///   - options: Options added to those of the endpoint.
    /// - Returns: The file with the head of the response.
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/fileFailed`` if the file cannot be written.
    public func download<E: Endpoint>(
        _ endpoint: E, into folder: URL, existing: ResponseDestination.ExistingFile = .keepBoth,
        resuming: DownloadResumption = .never, sha256: String? = nil, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> DownloadedFile {
        let destination = ResponseDestination.folder(folder, existing: existing, resuming: resuming, sha256: sha256)
        return try await self.send(DownloadCall(base: endpoint), options: options.destination(destination))
    }

    /// Sends a call with a file as its content, however large it is.
    ///
    /// Accessories receive the upload progress, relative to the whole length even if the upload is resumed. Cancelling
    /// the task cancels the request.
    ///
    /// - Parameters:
    ///   - endpoint: The call; its body declaration is ignored. Its method must allow content, as `POST` does.
    ///   - file: The file.
    ///   - contentType: The media type of the file. `nil` derives it from the file's name.
    ///   - options: Options added to those of the endpoint.
    /// - Returns: The value of the response.
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/encodingFailed`` if the file cannot be read,
    ///   ``ErrandError/Code/fileFailed`` if it changes before an interrupted upload is resumed.
    public func upload<E: Endpoint>(
        _ endpoint: E, from file: URL, contentType: MIMEType? = nil,
        options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> E.Response {
        let call = UploadCall(
            base: endpoint, file: file, contentType: contentType ?? .ofFile(named: file.lastPathComponent))
        return try await self.send(call, options: options)
    }

    /// Sends a call and passes its body to a closure while it arrives.
    ///
    /// The closure runs as part of the request: the request keeps its slot, its deadlines apply, and cancelling the
    /// request ends the reading. When `buffer` bytes are unread, the server is held back until half of them have been
    /// read. If the closure returns before the end of the body, the rest is not received. Of a rejected response, only
    /// the part that an error keeps is received, before interceptors see it.
    ///
    /// - Parameters:
    ///   - endpoint: The call; its decoding and caching declarations are ignored.
    ///   - buffer: The maximum number of unread bytes.
    ///   - options: Options added to those of the endpoint.
    ///   - read: Reads the body of an accepted response, and makes the value from it.
    /// - Returns: The value that the closure returns.
    /// - Throws: ``ErrandError``. If the closure throws an error of another type, it becomes the cause of an error with
    ///   the code ``ErrandError/Code/callbackFailed``.
    public func stream<E: Endpoint, Value: Sendable>(
        _ endpoint: E, buffer: Int = 256 << 10, options: RequestOptions = RequestOptions(),
        _ read: @escaping @Sendable (StreamedResponse) async throws -> Value
    ) async throws(ErrandError) -> Value {
        try await self.send(
            StreamedCall(base: endpoint, reader: read), options: options.destination(.stream(buffer: buffer)))
    }
}
