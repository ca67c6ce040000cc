internal import struct Foundation.Data

/// The fixed-size beginning of an entry file: 88 bytes, as little-endian 8-byte numbers.
///
/// The metadata follow, and then the body, unless it is in a file of its own.
///
/// | offset | content                                                          |
/// | -----: | ---------------------------------------------------------------- |
/// |      0 | `ERRAND`, and in two bytes the format, 5                         |
/// |      8 | the length and the checksum of the metadata                      |
/// |     24 | the length and the checksum of the body                          |
/// |     40 | the number in the name of the body's file; 0 if the body is here |
/// |     48 | the digest of the key, 32 bytes                                  |
/// |     80 | the checksum of all above                                        |
struct EntryHeader {
    static let size = 88
    /// `ERRAND`.
    private static let magic: UInt64 = 0x444E_4152_5245
    private static let format: UInt64 = 5
    /// Longer metadata are not stored, because memory is allocated for them before they are verified.
    static let longestMetadata = 16 << 20

    let metadataLength: Int
    private let metadataChecksum: UInt64
    let bodyLength: Int
    private let bodyChecksum: UInt64
    var bodyNumber: UInt64 = 0
    let digest: SHA256

    init(metadata: [UInt8], body: Data, digest: SHA256) {
        (self.metadataLength, self.metadataChecksum) = (metadata.count, WyHash.checksum(of: metadata))
        (self.bodyLength, self.bodyChecksum) = (body.count, WyHash.checksum(of: body))
        self.digest = digest
    }

    /// Reads the header of the entry of a key.
    ///
    /// - Throws: ``CacheMiss/corruptHead`` or ``CacheMiss/otherFormat``.
    init(_ bytes: [UInt8], digest: SHA256) throws(CacheMiss) {
        var first = FieldReader(bytes[...])
        guard let start = try? first.number(), start & 0xFFFF_FFFF_FFFF == Self.magic else { throw .corruptHead }
        guard start >> 48 == Self.format else { throw .otherFormat }
        guard var reader = CheckedNumbers.reader(of: bytes.prefix(Self.size)) else { throw .corruptHead }
        do {
            _ = try reader.number()
            let metadataLength = try reader.number()
            self.metadataChecksum = try reader.number()
            let bodyLength = try reader.number()
            self.bodyChecksum = try reader.number()
            self.bodyNumber = try reader.number()
            self.digest = try SHA256(words: (reader.number(), reader.number(), reader.number(), reader.number()))
            guard self.digest == digest, metadataLength <= Self.longestMetadata, bodyLength < 1 << 40 else {
                throw CacheMiss.corruptHead
            }
            (self.metadataLength, self.bodyLength) = (Int(metadataLength), Int(bodyLength))
        } catch {
            throw .corruptHead
        }
    }

    /// The stored form of the header.
    var bytes: [UInt8] {
        CheckedNumbers.bytes(
            [
                Self.format << 48 | Self.magic, UInt64(self.metadataLength), self.metadataChecksum,
                UInt64(self.bodyLength), self.bodyChecksum, self.bodyNumber,
            ] + self.digest.words)
    }

    var hasBodyFile: Bool { self.bodyNumber != 0 }
    /// The number of bytes before the body.
    var frontLength: Int { Self.size + self.metadataLength }
    /// The number of bytes in the entry file.
    var fileLength: Int { self.frontLength + (self.hasBodyFile ? 0 : self.bodyLength) }

    func hasSameBody(as other: EntryHeader) -> Bool {
        (self.bodyLength, self.bodyChecksum) == (other.bodyLength, other.bodyChecksum)
    }

    /// Reads the metadata from the bytes of a file, which need not include the body.
    func metadata(in bytes: [UInt8], body: Data = Data()) throws(CacheMiss) -> EntryMetadata {
        guard self.frontLength <= bytes.count else { throw .corruptHead }
        let part = bytes[Self.size..<self.frontLength]
        guard WyHash.checksum(of: part) == self.metadataChecksum else { throw .corruptHead }
        do { return try EntryMetadata(part, body: body) } catch { throw .corruptHead }
    }

    /// Verifies the bytes of the body.
    func check(_ body: some Collection<UInt8>) throws(CacheMiss) {
        guard body.count == self.bodyLength, WyHash.checksum(of: body) == self.bodyChecksum else { throw .corruptBody }
    }
}

/// An entry as bytes to be written.
struct EntryDraft {
    let digest: SHA256
    /// The header, without a number for a body file.
    let header: EntryHeader
    let metadata: [UInt8]
    let body: Data
    /// In seconds since 1970.
    let storedAt: Double

    init(_ entry: CacheEntry, for key: CacheKey) {
        (self.digest, self.storedAt) = (key.digest, entry.storedAt.timeIntervalSince1970)
        (self.metadata, self.body) = (EntryMetadata(entry, for: key).bytes, entry.response.data)
        self.header = EntryHeader(metadata: self.metadata, body: self.body, digest: self.digest)
    }

    /// The total number of bytes.
    var size: Int { self.header.frontLength + self.body.count }
}
