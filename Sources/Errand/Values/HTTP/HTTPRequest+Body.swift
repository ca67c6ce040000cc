public import struct Foundation.Data
public import struct Foundation.URL

extension HTTPRequest {
    /// The content of a request as a transport sends it.
    public enum Body: Sendable {
        /// No content.
        case none
        /// Bytes that are at hand.
        case bytes(Data)
        /// A file, read while it is sent.
        case file(URL)
        /// Chunks that are produced while they are sent; the length in bytes where it is known.
        // Indirect: rare and large, it would make every request that waits larger.
        indirect case stream(BodyStream, length: Int64?)
    }
}

extension HTTPRequest.Body: CustomStringConvertible, CustomReflectable {
    /// What kind of content it is and how long, without the content.
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
