public import struct Foundation.Data
public import struct Foundation.URL

extension HTTPRequest {
    /// The content of a request, as transports send it.
    public enum Body: Sendable {
        /// No content.
        case none
        /// Bytes in memory.
        case bytes(Data)
        /// A file, read while it is sent.
        case file(URL)
        /// Chunks that are produced while they are sent, with the length in bytes if it is known.
        // Indirect: it is rare and large, and would increase the size of every waiting request.
        indirect case stream(BodyStream, length: Int64?)
    }
}

extension HTTPRequest.Body: CustomStringConvertible, CustomReflectable {
    /// The kind and length of the content, without the content.
    public var description: String {
        switch self {
        case .none: "no content"
        case .bytes(let data): "\(data.count) bytes"
        case .file(let url): "the file \(url.path)"
        case .stream(_, let length): length.map { "a stream of \($0) bytes" } ?? "a stream"
        }
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
