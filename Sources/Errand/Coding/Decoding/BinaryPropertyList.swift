internal import struct Foundation.Data

/// Looks at how deep and how large a binary property list gets, before it is decoded.
///
/// Its objects refer to each other by number: a few hundred bytes can lie deeper than any stack, or come to more values
/// than any memory holds, since an array may have another one in it many times. Foundation checks neither.
struct BinaryPropertyList {
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let top: Int
    private let table: Int

    static func isOne(_ data: Data) -> Bool {
        data.starts(with: "bplist".utf8)
    }

    /// Reads the trailer; `nil` if there is none that makes sense.
    init?(_ data: Data) {
        let bytes = [UInt8](data)
        guard bytes.count >= 40 else { return nil }
        let trailer = bytes.count - 32
        self.bytes = bytes
        self.offsetSize = Int(bytes[trailer + 6])
        self.referenceSize = Int(bytes[trailer + 7])
        guard let count = bytes.number(at: trailer + 8, size: 8), let top = bytes.number(at: trailer + 16, size: 8),
            let table = bytes.number(at: trailer + 24, size: 8), 1...8 ~= self.offsetSize, 1...8 ~= self.referenceSize,
            top < count, count < trailer, table < trailer
        else { return nil }
        (self.objectCount, self.top, self.table) = (count, top, table)
    }

    /// What one object comes to, with all that it refers to.
    private struct Extent {
        var depth = 1
        var size = 1
    }

    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` for one that goes too deep, refers
    ///   to itself, or comes to far more values than its bytes could hold.
    func check() throws(ErrandError) {
        var extents: [Int: Extent] = [:]
        _ = try self.extent(of: self.top, at: 1, &extents)
    }

    private func extent(
        of object: Int, at depth: Int, _ known: inout [Int: Extent]
    ) throws(ErrandError) -> Extent {
        let extent: Extent
        if let found = known[object] {
            extent = found
        } else {
            // One that refers to itself goes too deep, too.
            guard depth <= depthLimit else { throw Self.tooDeep }
            var sum = Extent()
            for reference in try self.references(of: object) {
                let part = try self.extent(of: reference, at: depth + 1, &known)
                sum.depth = max(sum.depth, part.depth + 1)
                sum.size += part.size
            }
            known[object] = sum
            extent = sum
        }
        guard depth + extent.depth - 1 <= depthLimit else { throw Self.tooDeep }
        guard extent.size <= self.bytes.count * 16 else {
            throw ErrandError(.decodingFailed, "the property list comes to far more values than it has bytes")
        }
        return extent
    }

    private static let tooDeep = ErrandError(
        .decodingFailed, "arrays and dictionaries lie more than \(depthLimit) deep in each other")

    static let damaged = ErrandError(.decodingFailed, "the property list is damaged")

    /// The objects that an array, a set or a dictionary is made of; none for everything else.
    ///
    /// - Throws: ``ErrandError`` for what is damaged, which Foundation may read in another way.
    private func references(of object: Int) throws(ErrandError) -> [Int] {
        guard object < self.objectCount,
            let offset = self.bytes.number(at: self.table + object * self.offsetSize, size: self.offsetSize),
            offset < self.bytes.count
        else { throw Self.damaged }
        let marker = self.bytes[offset]
        let isDictionary = marker >> 4 == 0xD
        guard isDictionary || 0xA...0xC ~= marker >> 4 else { return [] }
        guard let (entries, start) = self.count(marker, offset + 1) else { throw Self.damaged }
        let count = isDictionary ? entries * 2 : entries
        guard count <= (self.bytes.count - start) / self.referenceSize else { throw Self.damaged }
        return (0..<count).compactMap {
            self.bytes.number(at: start + $0 * self.referenceSize, size: self.referenceSize)
        }
    }

    /// How many there are, and where they begin: in the marker, or in a number behind it.
    private func count(_ marker: UInt8, _ index: Int) -> (count: Int, start: Int)? {
        guard marker & 0x0F == 0x0F else { return (Int(marker & 0x0F), index) }
        guard index < self.bytes.count, self.bytes[index] >> 4 == 1, self.bytes[index] & 0x0F <= 3 else { return nil }
        let size = 1 << Int(self.bytes[index] & 0x0F)
        guard let count = self.bytes.number(at: index + 1, size: size), count <= self.bytes.count else { return nil }
        return (count, index + 1 + size)
    }
}

extension [UInt8] {
    /// A number, the highest byte first; `nil` if it is not there or larger than any place in memory.
    fileprivate func number(at index: Int, size: Int) -> Int? {
        guard index >= 0, index <= self.count - size else { return nil }
        var value: UInt64 = 0
        for byte in self[index..<index + size] { value = value << 8 | UInt64(byte) }
        return value < 1 << 48 ? Int(value) : nil
    }
}
