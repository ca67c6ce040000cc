internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("JSON: values", .timeLimit(.minutes(60)), .paced)
struct JSONValueTests {
    private static let example: JSONValue = [
        "nick": "Ann", "level": 3, "share": 0.5, "isAdmin": true, "avatar": nil,
        "friends": [["id": 1], ["id": 2, "address": ["city": "Rom"]]],
    ]

    @Test func `are looked into by name, position and path`() {
        let value = Self.example
        #expect(value["nick"]?.string == "Ann")
        #expect(value["level"]?.int == 3)
        #expect(value["level"]?.double == 3)
        #expect(value["share"]?.double == 0.5)
        #expect(value["share"]?.int == nil)
        #expect(value["isAdmin"]?.bool == true)
        #expect(value["avatar"]?.isNull == true)
        #expect(value["friends"]?[1]?["id"]?.int == 2)
        #expect(value["friends", 1, "address", "city"]?.string == "Rom")
        #expect(value[["friends", 0, "id"] as JSONValue.Path] == 1)
        #expect(value[[] as JSONValue.Path] == value)
        #expect(value["friends"]?.array?.count == 2)
        #expect(value.object?.count == 6)
    }

    @Test func `answer nothing where there is nothing`() {
        let value = Self.example
        #expect(value["none"] == nil)
        #expect(value[0] == nil)
        #expect(value["friends", 2] == nil)
        #expect(value["friends", -1] == nil)
        #expect(value["friends", "id"] == nil)
        #expect(value["nick", "x"] == nil)
        #expect(value["nick"]?.int == nil)
        #expect(value["nick"]?.bool == nil)
        #expect(value["level"]?.string == nil)
        #expect(value["level"]?.array == nil)
        #expect(value["level"]?.object == nil)
    }

    @Test(
        arguments: [
            (["friends", 2, "id"], "$.friends[2].id"), ([], "$"),
            (["a b", "é", "1", "", "_x"], #"$["a b"].é["1"][""]._x"#),
            (["\"\n"], #"$["\"\n"]"#),
        ] as [(JSONValue.Path, String)])
    func `have paths that can be read`(path: JSONValue.Path, text: String) {
        #expect("\(path)" == text)
    }

    @Test func `are written in the order of their names, and read again`() throws {
        let text =
            #"{"a":[1,1.50,-0,1e400,123456789012345678901234567890],"b":"\"\\\n\r\t\u0001é😀/","c":{"x":null,"y":false}}"#
        let value = try JSONValue(parsing: Data(text.utf8))
        #expect("\(value)" == text)
        #expect(try value.serialized() == Data(text.utf8))
    }

    @Test(arguments: UInt64(0)..<300)
    func `survive being written and read`(seed: UInt64) throws {
        var chance = JSONChance(seed: seed)
        let value = chance.value()
        let data = try value.serialized()
        #expect(try JSONValue(parsing: data) == value)
        // Foundation reads the same from it, though it may round.
        let object = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        #expect(object is [Any] == (value.array != nil))
        #expect(object is [String: Any] == (value.object != nil))
    }

    @Test(arguments: UInt64(0)..<100)
    func `survive Foundation's coders`(seed: UInt64) throws {
        var chance = JSONChance(seed: seed)
        let value = chance.value()
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test func `are a part of other types`() throws {
        struct Envelope: Codable, Equatable {
            let id: Int
            let data: JSONValue
            let more: JSONValue?
        }
        let json = Data(
            #"{"id":1,"data":{"a":[1,2.5,"x",null,true,18446744073709551615,3.14159265358979323846]}}"#.utf8)
        let envelope = try JSONDecoder().decode(Envelope.self, from: json)
        #expect(envelope.data["a", 5] == .number(JSONValue.Number(UInt64.max)))
        #expect(envelope.data["a", 6]?.description == "3.14159265358979323846")
        #expect(envelope.more == nil)
        #expect(try JSONDecoder().decode(Envelope.self, from: JSONEncoder().encode(envelope)) == envelope)
        let list = try PropertyListEncoder().encode(["a": JSONValue.array([1, "x"])])
        #expect(try PropertyListDecoder().decode([String: JSONValue].self, from: list) == ["a": [1, "x"]])
    }

    @Test func `that no number of Swift holds are not rounded by a coder`() throws {
        let digits = String(repeating: "9", count: 60)
        let value = try JSONValue(parsing: Data(digits.utf8))
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(value) }
        #expect(try value.serialized() == Data(digits.utf8))
    }

    @Test("T69: null members and elements can be removed, at any depth")
    func removingNulls() {
        let value: JSONValue = [
            "key": "value", "nullkey": nil, "array": [["subnullkey": nil]], "arrayWithNulls": [nil],
        ]
        #expect(value.removingNulls() == ["key": "value", "array": [[:]], "arrayWithNulls": []])
        #expect(JSONValue.null.removingNulls() == nil)
    }

    @Test(arguments: [
        ("1", "1.0", true), ("1", "10e-1", true), ("100", "1E+2", true), ("0", "-0.0e9", true), ("1", "-1", false),
        ("0.1", "0.10", true),
        ("0.1", "0.1000000000000000000001", false),
        ("1e999999999999999999999", "1e+999999999999999999999", true),
        ("1e9223372036854775807", "10e9223372036854775807", false), ("12", "21", false),
    ])
    func `are equal numbers if they have the same value`(left: String, right: String, isEqual: Bool) throws {
        let values = try [left, right].map { try JSONValue(parsing: Data($0.utf8)) }
        #expect((values[0] == values[1]) == isEqual)
        if isEqual { #expect(Set(values).count == 1) }
    }

    @Test(
        arguments: [
            ("3", 3, 3.0), ("3.0", 3, 3), ("3e2", 300, 300), ("-0", 0, 0), ("0e99", 0, 0), ("2.5", nil, 2.5),
            ("9223372036854775807", Int.max, 0x1p63),
            ("9223372036854775808", nil, 0x1p63),
            ("1e18", 1_000_000_000_000_000_000, 1e18),
            ("1e400", nil, .infinity), ("1e-400", nil, 0), ("1e99999999999999999999", nil, .infinity),
        ] as [(String, Int?, Double)])
    func `have numbers of Swift where there is one`(text: String, int: Int?, double: Double) throws {
        let value = try JSONValue(parsing: Data(text.utf8))
        #expect(value.int == int)
        #expect(value.double == double)
    }

    @Test func `have no number for what JSON has none for`() {
        #expect(JSONValue.Number(Double.infinity) == nil)
        #expect(JSONValue.Number(Double.nan) == nil)
        #expect(JSONValue.Number(-0.5)?.text == "-0.5")
        #expect(JSONValue.Number(1e300)?.double == 1e300)
    }

    @Test(arguments: ExactTextTests.pairs)
    func `members whose names only look alike are two`(one: String, other: String) throws {
        let text = #"{"\#(one)":1,"\#(other)":2}"#
        let value = try JSONValue(parsing: Data(text.utf8))
        #expect(value.object?.count == 2)
        #expect(value[one] == 1 && value[other] == 2)
        #expect(value.object?.names.count == 2)
        #expect(try JSONValue(parsing: value.serialized()) == value)
        #expect(value.removingNulls().object?.count == 2)
        #expect(
            JSONValue.string(one) != .string(other)
                && JSONValue.string(one).hashValue == JSONValue.string(one).hashValue)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(value) }
    }

    @Test(arguments: [
        (#"{"a":[{"é":1,"e\u0301":2}]}"#, "at $.a[0] "), (#"{"K":1,"\u212a":2}"#, "at $ "),
    ])
    func `JSONDecoder is not given two names that it takes for one`(text: String, place: String) throws {
        let error = #expect(throws: ErrandError.self) {
            try ResponseDecoder<[String: JSONValue]>.json.decode(HTTPResponse(status: .ok, body: Data(text.utf8)))
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains(place) == true && error?.message.contains("canonically equivalent") == true)
        #expect(
            try ResponseDecoder<JSONValue>.json.decode(HTTPResponse(status: .ok, body: Data(text.utf8))).object != nil)
    }

    @Test func `JSONDecoder is given names and values of any alphabet`() throws {
        let text = #"{"é":"é","ключ": "K\u212a" , "x\\":{"é":"e\u0301"}}"#
        let value = try ResponseDecoder<[String: JSONValue]>.json.decode(
            HTTPResponse(status: .ok, body: Data(text.utf8)))
        #expect(value.count == 3)
    }

    @Test func `members are changed by name`() {
        var members: JSONValue.Members = ["a": 1, "b": nil, "a": 2]
        #expect(members.count == 2 && members["a"] == 2 && !members.isEmpty)
        members["b"] = nil
        members["c"] = "x"
        #expect(members.names == ["a", "c"])
        #expect(members == JSONValue.Members(["c": "x", "a": 2] as [String: JSONValue]))
        #expect(members.filter { $0.key == "a" } == ["a": 2])
        #expect(members.mapValues { .array([$0]) } == ["a": [2], "c": ["x"]])
    }
}
