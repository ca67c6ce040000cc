public import struct Foundation.Data

/// What has come of the body of a request.
public struct LoopbackContent: Sendable, Hashable {
    /// Its bytes, without any transfer coding.
    public let bytes: Data
    /// Whether that is all of it.
    public let isWhole: Bool
}
