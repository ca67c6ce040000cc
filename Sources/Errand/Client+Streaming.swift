public import struct Foundation.URL

extension Client {
    /// Sends a call and writes its body into a file, however large it is.
    ///
    /// The file appears whole, when the response is complete and accepted, and replaces one that was there; until then
    /// it is written beside it under another name, for this user alone, and removed if something goes wrong. A new file
    /// has the permissions that the process gives to files, one that is replaced keeps its own. Cancelling the task
    /// cancels the request.
    ///
    /// - Parameters:
    ///   - endpoint: The call; what it declares about decoding and caching does not matter here.
    ///   - file: Where the file goes, in a folder that exists.
    ///   - existing: What happens when there is one already.
    ///   - resuming: Whether an interrupted download goes on where it was; only a `GET` can.
    ///   - sha256: The SHA-256 digest of the content, as 64 hexadecimal digits; a body with another one is an error, and
    ///     the file does not appear.
    ///   - options: What this use of the endpoint adds.
    /// - Returns: The file with the head of the response.
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/fileFailed`` if the file cannot be written,
    ///   ``ErrandError/Code/digestMismatch`` if the body has another digest than it should have.
    public func download<E: Endpoint>(
        _ endpoint: E, to file: URL, existing: ResponseDestination.ExistingFile = .replace,
        resuming: DownloadResumption = .never, sha256: String? = nil, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> DownloadedFile {
        let destination = ResponseDestination.file(file, existing: existing, resuming: resuming, sha256: sha256)
        return try await self.send(DownloadCall(base: endpoint), options: options.destination(destination))
    }

    /// Sends a call and writes its body into a file in a folder, with the name that the server suggests.
    ///
    /// The name comes from `Content-Disposition` (RFC 6266), or else from the path of the URL; whatever a server says, the
    /// file is in the folder itself. It appears whole, when the response is complete and accepted.
    ///
    /// - Parameters:
    ///   - endpoint: The call; what it declares about decoding and caching does not matter here.
    ///   - folder: A folder that exists.
    ///   - existing: What happens when there is a file with that name already.
    ///   - resuming: Whether an interrupted download goes on where it was; only a `GET` can.
    ///   - sha256: The SHA-256 digest of the content, as 64 hexadecimal digits.
    ///   - options: What this use of the endpoint adds.
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
    /// Progress of what was sent goes to accessories, over the whole length also where an upload goes on. Cancelling the
    /// task cancels the request.
    ///
    /// - Parameters:
    ///   - endpoint: The call; what it declares about its body does not matter here. Its method is one that has content,
    ///     such as `POST`.
    ///   - file: The file.
    ///   - contentType: Its media type; `nil` for that of its name.
    ///   - options: What this use of the endpoint adds.
    /// - Returns: The value of the response.
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/encodingFailed`` if the file cannot be read,
    ///   ``ErrandError/Code/fileFailed`` if it changes before an interrupted upload goes on.
    public func upload<E: Endpoint>(
        _ endpoint: E, from file: URL, contentType: MIMEType? = nil,
        options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> E.Response {
        let call = UploadCall(
            base: endpoint, file: file, contentType: contentType ?? .ofFile(named: file.lastPathComponent))
        return try await self.send(call, options: options)
    }

    /// Sends a call and hands its body to a closure while it comes.
    ///
    /// The closure runs as a part of the request: its slot is held, its deadlines count, and cancelling the request
    /// ends the reading. When `buffer` bytes wait to be read the server is held back, until half of them were. When the
    /// closure returns before the end of the body, the rest is not received. Of a response that is not accepted no more
    /// is received than an error keeps, before interceptors see it.
    ///
    /// - Parameters:
    ///   - endpoint: The call; what it declares about decoding and caching does not matter here.
    ///   - buffer: How many bytes may wait to be read.
    ///   - options: What this use of the endpoint adds.
    ///   - read: Reads the body of a response that was accepted, and makes the value from it.
    /// - Returns: What the closure returns.
    /// - Throws: ``ErrandError``; an error of another type that the closure throws becomes the cause of one with the
    ///   code ``ErrandError/Code/callbackFailed``.
    public func stream<E: Endpoint, Value: Sendable>(
        _ endpoint: E, buffer: Int = 256 << 10, options: RequestOptions = RequestOptions(),
        _ read: @escaping @Sendable (StreamedResponse) async throws -> Value
    ) async throws(ErrandError) -> Value {
        try await self.send(
            StreamedCall(base: endpoint, reader: read), options: options.destination(.stream(buffer: buffer)))
    }
}
