public import struct Foundation.Data
public import struct Foundation.URL

/// The content of a request as a transport sends it.
public enum HTTPBody: Sendable {
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
