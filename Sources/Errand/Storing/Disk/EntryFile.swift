internal import struct Foundation.Data

/// What is wrong with the bytes of an entry file.
enum EntryDamage: Error, Hashable {
    /// A later version of this library wrote it.
    case otherFormat
    /// An earlier version of this library wrote it.
    case oldFormat
    case head
    case body

    /// What whoever asks for the entry is told.
    var miss: CacheMiss {
        switch self {
        case .otherFormat, .oldFormat: .otherFormat
        case .head: .corruptHead
        case .body: .corruptBody
        }
    }
}

/// The bytes of an entry file: a fixed part, the head, the body; numbers are little-endian.
///
/// | offset | bytes | what                                                   |
/// | -----: | ----: | ------------------------------------------------------ |
/// |      0 |     6 | `ERRAND`                                               |
/// |      6 |     2 | the format, 2                                          |
/// |      8 |     8 | the length of the head                                 |
/// |     16 |     8 | the length of the body                                 |
/// |     24 |     8 | the checksum of the body                               |
/// |     32 |    32 | the digest of the key                                  |
/// |     64 |     8 | the checksum of all above and of the head              |
/// |     72 |       | the head, the body, and nothing more                   |
enum EntryFile {
    static let fixedSize = 72
    private static let checkedSize = 64
    private static let magic = Array("ERRAND".utf8)
    static let format: UInt16 = 2
    private static let longestHead = 16 << 20

    /// The fixed part, read.
    struct Frame {
        let headLength: Int
        let bodyLength: Int
        fileprivate let bodyChecksum: UInt64
        fileprivate let digest: SHA256
        fileprivate let checksum: UInt64

        var end: Int { EntryFile.fixedSize + self.headLength + self.bodyLength }
    }

    // MARK: - Writing

    /// Returns all bytes in front of the body.
    static func front(of head: EntryHead, body: Data, digest: SHA256) -> [UInt8] {
        let head = head.bytes
        var writer = ByteWriter()
        writer.write(self.magic)
        writer.write(self.format)
        writer.write(UInt64(head.count))
        writer.write(UInt64(body.count))
        writer.write(XXH64.checksum(of: body))
        writer.write(digest.bytes)
        writer.write(self.checksum(writer.bytes[...], head[...]))
        writer.write(head)
        return writer.bytes
    }

    /// How many bytes the file of an entry has.
    static func size(of entry: CacheEntry, for key: CacheKey) -> Int {
        self.fixedSize + EntryHead(entry, for: key).bytes.count + entry.response.data.count
    }

    // MARK: - Reading

    /// Reads a whole file.
    ///
    /// - Throws: ``EntryDamage`` if it is anything but the entry of the key with this digest.
    static func entry(_ bytes: [UInt8], digest: SHA256) throws(EntryDamage) -> CacheEntry {
        let frame = try self.frame(bytes)
        let head = try self.head(bytes, frame, digest: digest)
        guard frame.end == bytes.count else { throw .body }
        let body = bytes[(self.fixedSize + frame.headLength)...]
        guard XXH64.checksum(of: body) == frame.bodyChecksum else { throw .body }
        return head.entry(body: Data(body))
    }

    /// Reads the fixed part, which says how much more there is to read.
    ///
    /// - Throws: ``EntryDamage``, but not ``EntryDamage/body``.
    static func frame(_ bytes: [UInt8]) throws(EntryDamage) -> Frame {
        var reader = ByteReader(bytes[...])
        let format: UInt16
        do throws(ByteReader.Problem) {
            guard try reader.take(self.magic.count).elementsEqual(self.magic) else { throw ByteReader.Problem() }
            format = try reader.number()
        } catch {
            throw .head
        }
        guard format == self.format else { throw format > self.format ? .otherFormat : .oldFormat }
        do { return try self.frame(&reader) } catch { throw .head }
    }

    private static func frame(_ reader: inout ByteReader) throws(ByteReader.Problem) -> Frame {
        let (headLength, bodyLength) = (try reader.length(), try reader.length())
        // Room is made for a head before its checksum is known.
        guard headLength <= Self.longestHead else { throw ByteReader.Problem() }
        let bodyChecksum = try reader.number(UInt64.self)
        guard let digest = SHA256(bytes: try reader.take(SHA256.size)) else { throw ByteReader.Problem() }
        return Frame(
            headLength: headLength, bodyLength: bodyLength, bodyChecksum: bodyChecksum, digest: digest,
            checksum: try reader.number())
    }

    /// Reads the head; the bytes need not have the body.
    ///
    /// - Throws: ``EntryDamage/head``.
    static func head(_ bytes: [UInt8], _ frame: Frame, digest: SHA256) throws(EntryDamage) -> EntryHead {
        let end = self.fixedSize + frame.headLength
        guard end <= bytes.count, frame.digest == digest else { throw .head }
        let head = bytes[self.fixedSize..<end]
        guard self.checksum(bytes[..<self.checkedSize], head) == frame.checksum else { throw .head }
        do { return try EntryHead(head) } catch { throw .head }
    }

    private static func checksum(_ fixed: ArraySlice<UInt8>, _ head: ArraySlice<UInt8>) -> UInt64 {
        XXH64.checksum(of: head, seed: XXH64.checksum(of: fixed))
    }
}

extension ByteReader {
    /// A length for which sums cannot overflow: no file is longer.
    fileprivate mutating func length() throws(Problem) -> Int {
        guard let length = Int(exactly: try self.number(UInt64.self)), length < Int.max / 4 else { throw Problem() }
        return length
    }
}
