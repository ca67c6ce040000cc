internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("JSON: reading (G12)", .timeLimit(.minutes(60)), .paced)
struct JSONParserTests {
    private func problem(_ data: Data) -> String? {
        do throws(ErrandError) {
            _ = try JSONValue(parsing: data)
            return nil
        } catch {
            #expect(error.code == .decodingFailed)
            return error.message
        }
    }

    @Test(arguments: [
        ("", "line 1, column 1: expected a value, found the end"),
        ("  ", "line 1, column 3: expected a value, found the end"),
        ("{invalid}", "line 1, column 2: expected the name of a member, found \"i\" (U+0069)"),
        ("{\"a\":1,\n \"b\" 2}", "line 2, column 6: expected \":\", found \"2\" (U+0032)"),
        ("{\"a\":1\n,}", "line 2, column 2: expected the name of a member, found \"}\" (U+007D)"),
        ("[1,]", "line 1, column 4: expected a value, found \"]\" (U+005D)"),
        ("[1", "line 1, column 3: expected \",\" or \"]\", found the end"),
        ("[1}", "line 1, column 3: expected \",\" or \"]\", found \"}\" (U+007D)"),
        ("{\"a\":1]", "line 1, column 7: expected \",\" or \"}\", found \"]\" (U+005D)"),
        ("01", "line 1, column 2: expected the end, found \"1\" (U+0031)"),
        ("1.", "line 1, column 3: expected a digit, found the end"),
        ("-", "line 1, column 2: expected a digit, found the end"),
        (".5", "line 1, column 1: expected a value, found \".\" (U+002E)"),
        ("1e+", "line 1, column 4: expected a digit, found the end"),
        ("+1", "line 1, column 1: expected a value, found \"+\" (U+002B)"),
        ("tru", "line 1, column 1: expected a value, found \"t\" (U+0074)"),
        ("NaN", "line 1, column 1: expected a value, found \"N\" (U+004E)"),
        ("1 2", "line 1, column 3: expected the end, found \"2\" (U+0032)"),
        ("\"a", "line 1, column 3: expected the end of a string, found the end"),
        ("\"a\nb\"", "line 1, column 3: expected no control character in a string, found U+000A"),
        ("\"\\n\nb\"", "line 1, column 4: expected no control character in a string, found U+000A"),
        ("\"\\x\"", "line 1, column 2: a backslash precedes a character that it does not escape"),
        ("\"\\u12\"", "line 1, column 6: expected a hexadecimal digit, found \"\"\" (U+0022)"),
        ("\"\\ud800\"", "line 1, column 2: one half of a surrogate pair is missing"),
        ("\"\\ud800\\u0041\"", "line 1, column 2: one half of a surrogate pair is missing"),
        ("\"\\udc00\"", "line 1, column 2: one half of a surrogate pair is missing"),
        ("\"\\", "line 1, column 3: expected the end of a string, found the end"),
        ("//", "line 1, column 1: expected a value, found \"/\" (U+002F)"),
        ("'a'", "line 1, column 1: expected a value, found \"'\" (U+0027)"),
        ("<html>", "line 1, column 1: expected a value, found \"<\" (U+003C)"),
    ])
    func `says where a text is not JSON`(text: String, problem: String) {
        #expect(self.problem(Data(text.utf8)) == "the text is not JSON: \(problem)")
    }

    @Test func `says where a string is not UTF-8`() {
        #expect(
            self.problem(Data([0x22, 0xFF, 0x22])) == "the text is not JSON: line 1, column 2: a string is not UTF-8")
        #expect(
            self.problem(Data([0xFF, 0x22]))
                == "the text is not JSON: line 1, column 1: expected a value, found the byte 0xFF")
    }

    @Test(
        arguments: [
            (#""\u00e9\uD83D\uDE00\/\b\f""#, JSONValue.string("é😀/\u{8}\u{C}")), (" \t\r\n[ ]\n", []), ("{ }", [:]),
            (#"{"a":1,"a":2}"#, ["a": 2]), ("\u{FEFF}1", 1), ("-1.5E-1", -0.15),
        ] as [(String, JSONValue)])
    func `reads what RFC 8259 allows`(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: Data(text.utf8)) == value)
    }

    private struct Named: Decodable, Sendable {
        let name: String
    }

    @Test(arguments: [
        #"{"name":"first","name":"last"}"#, #"{"name":1,"other":{"name":2},"name":"last"}"#,
        #"{"name":"first","\u006eame":"last"}"#, #"{"n\u0061me":null,"a":["name"],"name":"last"}"#,
        "{" + (0..<100).map { #""\#($0)":0,"# }.joined() + #""name":"first","99":1,"name":"last"}"#,
    ])
    func `of two members with the same name the last counts, whatever reads them`(text: String) throws {
        let data = Data(text.utf8)
        let response = HTTPResponse(status: 200, body: data)
        #expect(try JSONValue(parsing: data)["name"] == "last")
        #expect(try ResponseDecoder<JSONValue>.json.decode(response)["name"] == "last")
        #expect(try ResponseDecoder<Named>.json.decode(response).name == "last")
        #expect(try ResponseDecoder<Named>.json(removingNulls: true).decode(response).name == "last")
        let shape: JSONValue.Shape = ["name": .string]
        #expect(shape.mismatch(in: try JSONValue(parsing: data)) == nil)
    }

    @Test func `names that are there once, in as many objects as there are, are not taken for twins`() throws {
        let many = (0..<200).map { #"{"name":"\#($0)","a":{"name":"x"},"b":["name","name"]}"# }.joined(separator: ",")
        let data = Data("[\(many)]".utf8)
        #expect(try !JSONSurvey(data).needsParsing)
        #expect(try ResponseDecoder<[Named]>.json.decode(HTTPResponse(status: 200, body: data)).count == 200)
    }

    /// To look up a name with so many marks takes Foundation a time that grows with the square of their number.
    @Test func `a name with no end of combining marks is refused by decoders that look it up`() throws {
        for (count, isRefused) in [(100, false), (200, true)] {
            let name = "a" + String(repeating: "\u{301}\u{316}", count: count)
            let data = Data(#"{"in":{"\#(name)":1}}"#.utf8)
            #expect(try JSONValue(parsing: data)["in"]?[name] == 1)
            let outcome = Result {
                try ResponseDecoder<[String: [String: Int]]>.json.decode(HTTPResponse(status: 200, body: data))
            }
            guard isRefused else {
                #expect(try outcome.get() == ["in": [name: 1]])
                continue
            }
            let error = #expect(throws: ErrandError.self) { try outcome.get() }
            #expect(error?.message.contains("at $.in a name has more than 256 combining marks in a row") == true)
        }
    }

    @Test(arguments: [
        String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian,
    ])
    func `reads JSON in other encodings of Unicode`(encoding: String.Encoding) throws {
        let data = try #require(#"{"a":["é"]}"#.data(using: encoding))
        #expect(try JSONValue(parsing: data) == ["a": ["é"]])
        let response = HTTPResponse(status: 200, body: data)
        #expect(try ResponseDecoder<[String: [String]]>.json.decode(response) == ["a": ["é"]])
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"], [129, 257, 513, 1_000, 100_000])
    func `refuses what lies too deep, before and by Foundation's parser`(opening: String, depth: Int) throws {
        for text in [String(repeating: opening, count: depth), String(repeating: opening, count: depth) + "1"] {
            let message = try #require(self.problem(Data(text.utf8)))
            #expect(message.contains("more than 128 levels deep"))
            let error = #expect(throws: ErrandError.self) {
                try ResponseDecoder<Int>.json.decode(HTTPResponse(status: 200, body: Data(text.utf8)))
            }
            #expect(error?.message.contains("more than 128 levels deep") == true)
        }
    }

    @Test func `reads what lies just not too deep, on a small stack`() throws {
        let text = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        let values = try Self.onSmallStack {
            let value = try JSONValue(parsing: Data(text.utf8))
            let response = HTTPResponse(status: 200, body: Data(text.utf8))
            let coded = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
            _ = try ResponseDecoder<JSONNest>.json.decode(response)
            return [value, coded, try JSONValue(parsing: value.serialized())]
        }
        #expect(Set(values).count == 1)
    }

    @Test func `writes nothing that lies too deep`() {
        let deep = (0..<129).reduce(JSONValue.null) { value, _ in [value] }
        #expect(throws: ErrandError.self) { try deep.serialized() }
        #expect("\(deep)".hasPrefix("[[["))
    }

    @Test func `counts no bracket in a string`() throws {
        let text = "{\"a\\\"[\\\\\":\"" + String(repeating: "[{", count: 1_000) + "\",\"b\":[]}"
        #expect(
            try ResponseDecoder<[String: JSONValue]>.json.decode(HTTPResponse(status: 200, body: Data(text.utf8)))
                .count == 2)
    }

    @Test(arguments: UInt64(0)..<300)
    func `takes any damage for what it is`(seed: UInt64) throws {
        var chance = JSONChance(seed: seed)
        var bytes = Array(try chance.value().serialized())
        for _ in 0...chance.below(4) {
            if bytes.isEmpty { break }
            let index = chance.below(bytes.count)
            switch chance.below(3) {
            case 0: bytes.remove(at: index)
            case 1: bytes[index] = UInt8(chance.below(256))
            default: bytes.removeSubrange(index...)
            }
        }
        // Foundation may take other texts for JSON, but never traps for one that this one refuses, and neither does
        // this.
        let mine = try? JSONValue(parsing: Data(bytes))
        let theirs = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        if let mine, let theirs { #expect(mine.object?.count == theirs.object?.count) }
    }

    /// Runs something where there are 512 KiB of stack, as the threads of tasks have on Apple's systems.
    private static func onSmallStack<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) throws -> Value {
        let result = Locked<Result<Value, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let value = Result { try work() }
            result.withLock { $0 = value }
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()
        return try #require(result.withLock { $0 }).get()
    }
}

/// A type that lies as deep in itself as a text asks for.
private indirect enum JSONNest: Decodable, Sendable {
    case list([JSONNest])

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var list: [JSONNest] = []
        while !container.isAtEnd { list.append(try container.decode(JSONNest.self)) }
        self = .list(list)
    }
}
