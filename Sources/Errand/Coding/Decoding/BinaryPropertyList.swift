internal import struct Foundation.Data

/// Checks the depth and size of a binary property list before it is decoded.
///
/// Its objects refer to each other by number: a few hundred bytes can be nested deeper than any stack, or expand to
/// more values than fit in memory, since an array may contain another one many times. Foundation does not check this.
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

    /// Parses the trailer; `nil` if it is missing or invalid.
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

    /// The depth and size of an object, with all objects that it refers to.
    private struct Extent {
        var depth = 1
        var size = 1
        /// The bytes of its texts and data, counted for each reference.
        var byteCount = 0
    }

    /// The result of the survey so far.
    private struct Survey {
        var extents: [Int: Extent] = [:]
        /// The remaining bytes for other objects.
        var bytesLeft: Int
    }

    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` for a list that is nested too
    ///   deeply, refers to itself, or expands to far more than its bytes.
    /// - Complexity: O(*n*): each object of a valid list has its own bytes, and no more are read than there are.
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
            // An object that refers to itself is nested too deeply, too.
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

    /// The additional limit for texts and data, because names of members are often referred to.
    private static let sharedBytes = 64 << 20

    private static let tooLarge = ErrandError(
        .decodingFailed, "the property list has far more values than bytes")

    private static let tooDeep = ErrandError(
        .decodingFailed, "arrays and dictionaries are nested more than \(depthLimit) levels deep")

    static let damaged = ErrandError(.decodingFailed, "the property list is damaged")

    /// The content of an object, and its position.
    private struct Content {
        enum Kind {
            /// References to other objects: an array, a set or a dictionary.
            case references
            /// A text in UTF-16.
            case text
            case other
        }

        let kind: Kind
        let bytes: Range<Int>
    }

    /// - Throws: ``ErrandError`` for damaged objects, which Foundation may read in another way.
    private func content(of object: Int) throws(ErrandError) -> Content {
        guard object < self.objectCount,
            let offset = self.bytes.number(at: self.table + object * self.offsetSize, size: self.offsetSize),
            offset < self.bytes.count
        else { throw Self.damaged }
        let marker = self.bytes[offset]
        let (kind, size): (Content.Kind, Int)
        switch marker >> 4 {
        // Data, and ASCII text.
        case 0x4, 0x5: (kind, size) = (.other, 1)
        case 0x6: (kind, size) = (.text, 2)
        case 0xA, 0xB, 0xC: (kind, size) = (.references, self.referenceSize)
        case 0xD: (kind, size) = (.references, self.referenceSize * 2)
        // Numbers and the like, without a count.
        default: return Content(kind: .other, bytes: offset..<offset + 1)
        }
        guard let (count, start) = self.count(marker, offset + 1), count <= (self.bytes.count - start) / size else {
            throw Self.damaged
        }
        return Content(kind: kind, bytes: start..<start + count * size)
    }

    /// - Throws: ``ErrandError`` for a text that is slow to compare as a member name.
    private func checkText(_ range: Range<Int>) throws(ErrandError) {
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).lazy.map {
            UInt16(self.bytes[$0]) << 8 | UInt16(self.bytes[$0 + 1])
        }
        guard range.count > longestRunOfMarks else { return }
        guard !String(decoding: Array(units), as: UTF16.self).unicodeScalars.hasLongRunOfMarks else {
            throw ErrandError(.decodingFailed, "a text has more than \(longestRunOfMarks) combining marks in a row")
        }
    }

    /// Returns the count of elements and their start: in the marker, or in a number after it.
    private func count(_ marker: UInt8, _ index: Int) -> (count: Int, start: Int)? {
        guard marker & 0x0F == 0x0F else { return (Int(marker & 0x0F), index) }
        guard index < self.bytes.count, self.bytes[index] >> 4 == 1, self.bytes[index] & 0x0F <= 3 else { return nil }
        let size = 1 << Int(self.bytes[index] & 0x0F)
        guard let count = self.bytes.number(at: index + 1, size: size), count <= self.bytes.count else { return nil }
        return (count, index + 1 + size)
    }
}

extension [UInt8] {
    /// Returns a big-endian number; `nil` if it is missing or out of range.
    fileprivate func number(at index: Int, size: Int) -> Int? {
        guard index >= 0, index <= self.count - size else { return nil }
        var value: UInt64 = 0
        for byte in self[index..<index + size] { value = value << 8 | UInt64(byte) }
        return value < 1 << 48 ? Int(value) : nil
    }
}
