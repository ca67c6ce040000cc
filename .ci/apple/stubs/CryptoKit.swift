// swift-format-ignore-file

// CryptoKit: digests. Its names are common ones, and a module's own take precedence.
public import AppleFoundation

@available(macOS 10.15, iOS 13, tvOS 15, watchOS 8, visionOS 1, *)
public protocol Digest: Hashable, Sequence, CustomStringConvertible, Sendable where Element == UInt8 {
    static var byteCount: Int { get }
}

@available(macOS 10.15, iOS 13, tvOS 15, watchOS 8, visionOS 1, *)
public struct SHA256Digest: Digest {
    public static var byteCount: Int { 32 }
    public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
    public var description: String { "" }
}

@available(macOS 10.15, iOS 13, tvOS 15, watchOS 8, visionOS 1, *)
public struct SHA256: Sendable {
    public typealias Digest = SHA256Digest
    public init() {}
    public static func hash<Bytes: DataProtocol>(data: Bytes) -> SHA256Digest { SHA256Digest() }
    public mutating func update<Bytes: DataProtocol>(data: Bytes) {}
    public func finalize() -> SHA256Digest { SHA256Digest() }
}
