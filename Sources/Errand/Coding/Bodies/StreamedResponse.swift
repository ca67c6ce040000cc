public import struct Foundation.URL

/// A response whose body is read while it arrives.
public struct StreamedResponse: Sendable {
    /// The status and header fields.
    public let head: HTTPResponse.Head
    /// The chunks of the body, decompressed; they can be read once.
    public let body: BodyStream

    /// Creates a response, for tests of code that reads one.
    public init(head: HTTPResponse.Head, body: BodyStream) {
        self.head = head
        self.body = body
    }
}

/// A response that was written to a file.
public struct DownloadedFile: Sendable {
    /// The file.
    public let url: URL
    /// The status and header fields.
    public let head: HTTPResponse.Head
    /// The size of the file in bytes.
    public let size: Int64
}
