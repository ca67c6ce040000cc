public import struct Foundation.Data

/// The received part of a request's body.
public struct LoopbackContent: Sendable, Hashable {
    /// The bytes, without any transfer coding.
    public let bytes: Data
    /// A Boolean value that indicates whether the body is complete.
    public let isWhole: Bool
}
