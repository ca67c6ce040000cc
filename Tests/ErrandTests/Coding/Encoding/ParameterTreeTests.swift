internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Parameters: the tree", .timeLimit(.minutes(60)), .paced)
struct ParameterTreeTests {
    @Test func `literals make every kind of value`() {
        let name = "Ann"
        let parameters: Parameters = [
            "text": "a", "joined": "\(name)!", "int": -1, "double": 0.5, "bool": true, "null": nil,
            "array": ["a", 1, [2]], "object": ["b": nil], "set": .set([1, 1]),
        ]
        #expect(
            parameters.items.map(\.value) == [
                .string("a"), .string("Ann!"), .int(-1), .double(0.5), .bool(true), .null,
                .array([.string("a"), .int(1), .array([.int(2)])]), .object(Parameters([("b", .null)])),
                .set([.int(1)]),
            ])
    }

    @Test func `names can be looked up, set, removed and repeated`() {
        var parameters: Parameters = ["a": 1, "b": 2, "a": 3]
        #expect(parameters["a"] == 1)
        #expect(parameters["c"] == nil)
        parameters["a"] = "x"
        #expect(parameters == ["a": "x", "b": 2])
        parameters["c"] = .null
        #expect(parameters == ["a": "x", "b": 2, "c": nil])
        parameters["b"] = nil
        #expect(parameters == ["a": "x", "c": nil])
        parameters.append("a", 2)
        parameters.append(["d": 4])
        #expect(parameters == ["a": "x", "c": nil, "a": 2, "d": 4])
        #expect(!parameters.isEmpty)
        #expect(Parameters().isEmpty)
    }

    // MARK: - From what is Encodable

    private struct Filter: Encodable {
        enum Kind: String, Encodable { case new, used }
        struct Range: Encodable {
            let from: Float
            let to: Double?
        }
        let kinds: [Kind]
        let range: Range
        let limits: [String: UInt8]
        let since: Date
        let key: Data
        let page: URL
        let price: Decimal
        let big: UInt64
        let small: Int16
        let flag: Bool
        let nothing: Int?
        let deep: Parameters.Value
        let more: Parameters
    }

    @Test func `what encodes itself becomes parameters`() throws {
        let date = Date(timeIntervalSince1970: 0)
        let filter = Filter(
            kinds: [.new, .used], range: Filter.Range(from: 0.1, to: nil), limits: ["x": 1], since: date,
            key: Data([1, 2]), page: try #require(URL(string: "https://a.test/?b")), price: Decimal(12.5),
            big: .max, small: -3, flag: true, nothing: nil, deep: .set([1]), more: ["b": 2, "a": 1])
        let parameters = try Parameters(encoding: filter)
        #expect(
            parameters == [
                "kinds": ["new", "used"], "range": ["from": 0.1], "limits": ["x": 1], "since": .date(date),
                "key": "AQI=", "page": "https://a.test/?b", "price": 12.5, "big": .unsigned(.max), "small": -3,
                "flag": true, "deep": .set([1]), "more": ["b": 2, "a": 1],
            ])
    }

    /// Uses what synthesised conformances do not.
    private struct ByHand: Encodable {
        enum Keys: String, CodingKey { case list, object, parent, again, null }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            try list.encodeNil()
            var inner = list.nestedContainer(keyedBy: Keys.self)
            try inner.encode("x", forKey: .again)
            var innermost = list.nestedUnkeyedContainer()
            try innermost.encode(contentsOf: [2.5, 3])
            #expect(list.count == 4)
            var object = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
            try object.encode(false, forKey: .again)
            try "parent".encode(to: container.superEncoder(forKey: .parent))
            try [1].encode(to: container.superEncoder())
            try container.encode(1, forKey: .again)
            try container.encode(2, forKey: .again)
            try container.encodeNil(forKey: .null)
        }
    }

    @Test func `nested containers, parents and repeated keys are taken in`() throws {
        #expect(
            try Parameters(encoding: ByHand()) == [
                "list": [1, nil, ["again": "x"], [2.5, 3.0]], "object": ["again": false], "parent": "parent",
                "super": [1], "again": 2, "null": nil,
            ])
    }

    @Test func `single values are values`() throws {
        #expect(try Parameters.Value.encoding("a") == "a")
        #expect(try Parameters.Value.encoding(Int?.none) == nil)
        #expect(try Parameters.Value.encoding([Int8(1)]) == [1])
        #expect(try Parameters.Value.encoding([1: "a"]) == ["1": "a"])
        struct Empty: Encodable {}
        #expect(try Parameters.Value.encoding(Empty()) == [:])
        #expect(try Parameters([("f", .encoding(["a": 1]))]).query() == "f%5Ba%5D=1")
    }

    @Test func `a set keeps that it has no order`() throws {
        struct Filter: Encodable {
            let tags: Set<String>
            let list: [Set<Int>]
            let none: Set<Int>
            let name = "x"
        }
        let parameters = try Parameters(encoding: Filter(tags: ["b", "a"], list: [[1]], none: []))
        #expect(parameters == ["tags": .set(["a", "b"]), "list": [.set([1])], "none": .set([]), "name": "x"])
        #expect(try parameters.query() == "list%5B%5D=1&name=x&tags=a&tags=b")
        #expect(try Parameters.Value.encoding([1, 2] as Set) == .set([1, 2]))
    }

    @Test(
        arguments: [
            ("12.5", 12.5), ("0.1", 0.1), ("-0.001", -0.001), ("7", 7), ("-7", -7), ("0", 0),
            ("18446744073709551615", .unsigned(.max)), ("123456789.012345", 123456789.012345),
            // No number of Swift has these digits.
            ("0.12345678901234567890123", "0.12345678901234567890123"),
            ("36893488147419103232", "36893488147419103232"), ("0.00000001", "0.00000001"),
        ] as [(String, Parameters.Value)])
    func `a decimal number is a number where one has its digits`(text: String, value: Parameters.Value) throws {
        let decimal = try #require(Decimal(string: text))
        #expect(try Parameters.Value.encoding(decimal) == value)
        #expect(try Parameters(encoding: ["a": decimal]).query() == "a=\(text)")
    }

    @Test func `a decimal that is not a number fails the request`() throws {
        let parameters = try Parameters(encoding: ["a": Decimal.nan])
        #expect(throws: ErrandError.self) { try parameters.query() }
    }

    /// A type that holds itself for ever.
    private struct Endless: Encodable {
        enum Keys: String, CodingKey { case inner }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(self, forKey: .inner)
        }
    }

    @Test func `what fails to encode itself is an error, and what never ends too`() {
        struct Failing: Encodable {
            func encode(to encoder: any Encoder) throws { throw FixtureError() }
        }
        let error = #expect(throws: ErrandError.self) { try Parameters(encoding: ["a": Failing()]) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.cause is FixtureError)
        let endless = #expect(throws: ErrandError.self) { try Parameters(encoding: Endless()) }
        #expect(endless?.code == .encodingFailed)
        #expect(endless?.message.contains("more than 128 levels deep") == true)
    }

    // MARK: - As something Encodable

    @Test func `parameters encode themselves as what they are`() throws {
        let parameters: Parameters = [
            "b": [1, nil, 2.5, true, "x"], "a": ["d": nil, "c": .set(["2", "10"])], "u": .unsigned(.max),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(
            String(decoding: try encoder.encode(parameters), as: UTF8.self)
                == #"{"a":{"c":["10","2"],"d":null},"b":[1,null,2.5,true,"x"],"u":18446744073709551615}"#)
    }

    @Test func `a name that is there twice is refused where it would be lost`() throws {
        let twice: Parameters = ["a": ["k": 1, "k": 2]]
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(twice) }
        #expect(try twice.query() == "a%5Bk%5D=1&a%5Bk%5D=2")
    }
}
