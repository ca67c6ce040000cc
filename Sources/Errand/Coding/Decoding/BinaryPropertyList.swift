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

    /// The extent of one object, with all that it refers to.
    private struct Extent {
        var depth = 1
        var size = 1
        /// The bytes of its texts and data, as often as they are referred to.
        var byteCount = 0
    }

    /// The result of a survey so far.
    private struct Survey {
        var extents: [Int: Extent] = [:]
        /// The limit of bytes of the other objects.
        var bytesLeft: Int
    }

    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` for one that goes too deep, refers
    ///   to itself, or comes to far more than its bytes could hold.
    /// - Complexity: O(*n*): each object of a sound list has bytes of its own, and no more are read than there are.
    func check() throws(ErrandError) {
        var survey = Survey(bytesLeft: self.bytes.count)
        _ = try self.extent(of: self.top, at: 1, &survey)
    }

    private func extent(of object: Int, at depth: Int, _ survey: inout Survey) throws(ErrandError) -> Extent {
        let extent: Extent
        if let found = survey.extents[object] {
            extent = found
        } else {
            guard depth <= depthLimit else { throw Self.tooDeep }
            // One that refers to itself goes too deep, too.
            survey.extents[object] = Extent(depth: depthLimit + 1)
            extent = try self.newExtent(of: object, at: depth, &survey)
            survey.extents[object] = extent
        }
        guard depth + extent.depth - 1 <= depthLimit else { throw Self.tooDeep }
        return extent
    }

    private func newExtent(of object: Int, at depth: Int, _ survey: inout Survey) throws(ErrandError) -> Extent {
        let content = try self.content(of: object)
        survey.bytesLeft -= content.bytes.count
        guard survey.bytesLeft >= 0 else { throw Self.tooLarge }
        var sum = Extent()
        guard content.kind == .references else {
            sum.byteCount = content.bytes.count
            if content.kind == .text { try self.checkText(content.bytes) }
            return sum
        }
        for index in stride(from: content.bytes.lowerBound, to: content.bytes.upperBound, by: self.referenceSize) {
            guard let reference = self.bytes.number(at: index, size: self.referenceSize) else { throw Self.damaged }
            let part = try self.extent(of: reference, at: depth + 1, &survey)
            sum.depth = max(sum.depth, part.depth + 1)
            sum.size += part.size
            sum.byteCount += part.byteCount
            guard sum.size <= self.bytes.count * 16, sum.byteCount <= self.bytes.count * 16 + Self.sharedBytes else {
                throw Self.tooLarge
            }
        }
        return sum
    }

    /// The most bytes of texts and data besides: names of members are often referred to.
    private static let sharedBytes = 64 << 20

    private static let tooLarge = ErrandError(
        .decodingFailed, "the property list comes to far more values than it has bytes")

    private static let tooDeep = ErrandError(
        .decodingFailed, "arrays and dictionaries lie more than \(depthLimit) deep in each other")

    static let damaged = ErrandError(.decodingFailed, "the property list is damaged")

    /// The content of an object, and its position.
    private struct Content {
        enum Kind {
            /// References to others: an array, a set or a dictionary.
            case references
            /// A text in UTF-16.
            case text
            case other
        }

        let kind: Kind
        let bytes: Range<Int>
    }

    /// - Throws: ``ErrandError`` for what is damaged, which Foundation may read in another way.
    private func content(of object: Int) throws(ErrandError) -> Content {
        guard object < self.objectCount,
            let offset = self.bytes.number(at: self.table + object * self.offsetSize, size: self.offsetSize),
            offset < self.bytes.count
        else { throw Self.damaged }
        let marker = self.bytes[offset]
        let (kind, size): (Content.Kind, Int)
        switch marker >> 4 {
        // Data, and a text of ASCII.
        case 0x4, 0x5: (kind, size) = (.other, 1)
        case 0x6: (kind, size) = (.text, 2)
        case 0xA, 0xB, 0xC: (kind, size) = (.references, self.referenceSize)
        case 0xD: (kind, size) = (.references, self.referenceSize * 2)
        // Numbers and the like, which have no count.
        default: return Content(kind: .other, bytes: offset..<offset + 1)
        }
        guard let (count, start) = self.count(marker, offset + 1), count <= (self.bytes.count - start) / size else {
            throw Self.damaged
        }
        return Content(kind: kind, bytes: start..<start + count * size)
    }

    /// - Throws: ``ErrandError`` for a text that takes long to be compared, as the name of a member is.
    private func checkText(_ range: Range<Int>) throws(ErrandError) {
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).lazy.map {
            UInt16(self.bytes[$0]) << 8 | UInt16(self.bytes[$0 + 1])
        }
        guard range.count > longestRunOfMarks else { return }
        guard !String(decoding: Array(units), as: UTF16.self).unicodeScalars.hasLongRunOfMarks else {
            throw ErrandError(.decodingFailed, "a text has more than \(longestRunOfMarks) combining marks in a row")
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
