internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Decoders: property lists (G12)", .timeLimit(.minutes(60)), .paced)
struct PropertyListTests {
    private struct Settings: Codable, Sendable, Equatable {
        var name = "Ann"
        var since = Date(timeIntervalSinceReferenceDate: 0)
        var data = Data([1, 2])
        var list = [1, 2, 3]
    }

    private func decode<Value: Decodable & Sendable>(_ data: Data, _: Value.Type = Value.self) throws -> Value {
        try ResponseDecoder<Value>.plist.decode(HTTPResponse(status: 200, body: data))
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `are decoded in each format`(format: PropertyListSerialization.PropertyListFormat) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let settings = Settings()
        #expect(try self.decode(encoder.encode(settings), Settings.self) == settings)
        let many = (0..<2_000).map { ["a": [$0], "b": [$0, $0]] }
        #expect(try self.decode(encoder.encode(many), [[String: [Int]]].self) == many)
    }

    @Test("T73: a valid list; JSON; 204 without a body")
    func formats() throws {
        let encoded = try PropertyListEncoder().encode(["key": "value"])
        #expect(try self.decode(encoded, [String: String].self) == ["key": "value"])
        let error = #expect(throws: ErrandError.self) {
            try self.decode(Data(#"{"key":"value"}"#.utf8), [String: String].self)
        }
        #expect(error?.code == .decodingFailed)
        #expect(try self.decode(Data(), [String: String]?.self) == nil)
        #expect(throws: ErrandError.self) { try self.decode(Data(), [String: String].self) }
    }

    @Test(arguments: [
        "<plist><array><string>a</array></plist>", "<plist><dict><key>a</key></dict></plist>", "<plist", "(a, b",
        "bplist00\u{0}\u{0}\u{0}",
    ])
    func `that are malformed are an error`(text: String) {
        let error = #expect(throws: ErrandError.self) { try self.decode(Data(text.utf8), JSONValue.self) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.hasPrefix("not a property list for JSONValue: ") == true)
    }

    @Test(arguments: [129, 300, 1_000, 100_000])
    func `do not go deeper than any stack`(depth: Int) throws {
        let xml =
            "<plist>" + String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
            + "</plist>"
        let binary = Self.binary((0..<depth).map { $0 + 1 < depth ? [$0 + 1] : [] })
        for data in [Data(xml.utf8), binary] {
            let error = #expect(throws: ErrandError.self) { try self.decode(data, JSONValue.self) }
            #expect(error?.message.contains("more than 128 levels deep") == true, "\(error?.message ?? "")")
        }
    }

    /// What Foundation reads as XML, in ways in which a look at it may see something else.
    @Test(arguments: [
        String(repeating: "<array>", count: 100_000),
        "<!--" + String(repeating: "-x", count: 600) + "--><plist>" + String(repeating: "<array>", count: 100_000),
        "<!DOCTYPE plist \"><array>" + String(repeating: "<array>", count: 100_000) + "\"><plist/>",
        " \n<!DOCTYPE plist><?x?>" + String(repeating: "<dict><key>a</key>", count: 100_000), "(a, (b))", "{a = b;}",
    ])
    func `cannot end the process by their form`(text: String) {
        var texts = [Data(text.utf8)]
        if let wide = text.data(using: .utf16) { texts.append(wide) }
        if let wide = text.data(using: .utf16BigEndian) { texts.append(Data([0xFE, 0xFF]) + wide) }
        for data in texts {
            let error = #expect(throws: ErrandError.self) { try self.decode(data, JSONValue.self) }
            #expect(error?.code == .decodingFailed)
        }
    }

    /// Sizes of 9 bytes, and a count of 16, which Foundation takes and nobody writes.
    @Test(arguments: [(26, UInt8(9)), (25, UInt8(9))])
    func `that are binary are refused with sizes that nobody writes`(place: Int, size: UInt8) {
        var data = Self.binary((0..<200).map { $0 + 1 < 200 ? [$0 + 1] : [] })
        data[data.count - 32 + (place - 19)] = size
        #expect(throws: ErrandError.self) { try self.decode(data, JSONValue.self) }
    }

    @Test func `keep what is in them, however it is written`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><!-- a --><dict>
              <key>a &amp; b</key><string><![CDATA[<x>]]> &lt;y&gt; é</string>
              <key>n</key><integer>-7</integer><key>t</key><true/><key>e</key><string></string>
            </dict></plist>
            """
        let value = try self.decode(Data(text.utf8), JSONValue.self)
        #expect(value == ["a & b": "<x> <y> é", "n": -7, "t": true, "e": ""])
    }

    @Test func `may be deep on one way and short on another`() throws {
        // The longest way decides, not the first one that is looked at.
        var objects = (0..<300).map { $0 < 299 ? [$0 + 1] : [] }
        objects[0] = [298, 1]
        #expect(throws: ErrandError.self) { try self.decode(Self.binary(objects), JSONValue.self) }
    }

    @Test func `that refer to themselves are an error`() {
        for objects in [[[0]], [[1], [0]], [[1, 2], [], [0]]] {
            let error = #expect(throws: ErrandError.self) { try self.decode(Self.binary(objects), JSONValue.self) }
            #expect(error?.message.contains("more than 128 levels deep") == true)
        }
    }

    @Test func `that come to more values than there is memory are an error`() throws {
        let bomb = (0..<40).map { $0 < 39 ? Array(repeating: $0 + 1, count: 10) : [] }
        let error = #expect(throws: ErrandError.self) { try self.decode(Self.binary(bomb), JSONValue.self) }
        #expect(error?.message.contains("far more values") == true)
        // What is shared to save space is not.
        let shared = [[1, 1, 2, 2], [3], [3], []]
        #expect(try self.decode(Self.binary(shared), JSONValue.self) == [[[]], [[]], [[]], [[]]])
    }

    /// Each of many arrays at the same place refers to all others: read one by one they take quadratic time.
    @Test func `whose objects share their bytes are an error`() throws {
        let count = 14
        let array = Data([0xA0 | UInt8(count)])
        let top = array + Data((1...count).map { UInt8($0) })
        let others = array + Data(repeating: UInt8(count + 1), count: count)
        let shared = Self.binary([top, others, Data([0x10, 7])], at: [0] + Array(repeating: 1, count: count) + [2])
        let error = #expect(throws: ErrandError.self) { try self.decode(shared, [[Int]].self) }
        #expect(error?.message.contains("far more values") == true, "\(error?.message ?? "")")
        let sound = Self.binary(
            [top] + Array(repeating: others, count: count) + [Data([0x10, 7])], at: Array(0...count + 1))
        #expect(try self.decode(sound, [[Int]].self).count == count)
    }

    @Test func `that refer to one long text again and again are an error`() throws {
        let text = Data([0x5F, 0x12, 0, 0x10, 0, 0]) + Data(repeating: 0x61, count: 1 << 20)
        for (count, isRefused) in [(4, false), (100, true)] {
            let top = Data([0xAF, 0x10, UInt8(count)]) + Data(repeating: 1, count: count)
            let list = Self.binary([top, text], at: [0, 1])
            guard isRefused else {
                #expect(try self.decode(list, [String].self).map(\.utf8.count) == [1 << 20, 1 << 20, 1 << 20, 1 << 20])
                continue
            }
            let error = #expect(throws: ErrandError.self) { try self.decode(list, [String].self) }
            #expect(error?.message.contains("far more values") == true, "\(error?.message ?? "")")
        }
    }

    /// To look up a name with so many marks takes Foundation a time that grows with the square of their number.
    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `whose names have no end of combining marks are an error`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        for (count, isRefused) in [(100, false), (200, true)] {
            let name = "a" + String(repeating: "\u{301}\u{316}", count: count)
            let outcome = Result { try self.decode(encoder.encode([name: 1]), [String: Int].self) }
            #expect((try? outcome.get()) == (isRefused ? nil : [name: 1]))
        }
    }

    @Test(arguments: UInt64(0)..<300)
    func `take any damage for what it is`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = random.next(below: 4) == 0 ? .xml : .binary
        var bytes = [UInt8](try encoder.encode(["a": [[1, 2], [3]], "b": [[], [4]]]))
        for _ in 0...random.next(below: 3) {
            bytes[random.next(below: bytes.count)] = UInt8(random.next(below: 256))
        }
        _ = try? self.decode(Data(bytes), JSONValue.self)
    }

    /// A binary property list of pieces, and of objects that are at some of them; with references of one byte.
    private static func binary(_ pieces: [Data], at places: [Int]) -> Data {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for piece in pieces {
            offsets.append(data.count)
            data.append(piece)
        }
        let table = data.count
        for place in places { data.append(contentsOf: number(offsets[place], 4)) }
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 1] + number(places.count, 8) + number(0, 8) + number(table, 8))
        return data
    }

    /// A binary property list of arrays, each given by the numbers of those in it.
    private static func binary(_ objects: [[Int]]) -> Data {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for references in objects {
            offsets.append(data.count)
            data.append(0xA0 | UInt8(references.count))
            for reference in references { data.append(contentsOf: number(reference, 4)) }
        }
        let table = data.count
        for offset in offsets { data.append(contentsOf: number(offset, 4)) }
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 4] + number(objects.count, 8) + number(0, 8) + number(table, 8))
        return data
    }
}
