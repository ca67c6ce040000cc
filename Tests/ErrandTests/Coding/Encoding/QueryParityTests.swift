internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

/// AFNetworking's query algorithm, case by case; the ids are those of the list of what it and YTKNetwork do.
@Suite("Queries: AFNetworking's algorithm", .timeLimit(.minutes(60)), .paced)
struct QueryParityTests {
    private static let reserved = " :#[]@!$&'()*+,;=/?"
    private static let escaped = "%20%21%22%23%24%25%26%27%28%29%2A%2B%2C%2F"
    /// Three emoji with skin tones, each of two scalars that belong together.
    private static let emoji = "\u{1F44F}\u{1F3FC}\u{1F44F}\u{1F3FF}\u{1F44B}\u{1F3FB}"

    /// The escapes of a text, made one scalar at a time.
    private static func escapes(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            UTF8.encode(scalar).map { $0.map { "%" + String($0, radix: 16, uppercase: true) }.joined() } ?? ""
        }
        .joined()
    }

    @Test(arguments: [
        QueryCase(id: "T41", ["key": "value"], "key=value"),
        QueryCase(id: "T42", [:], ""),
        QueryCase(id: "T43", ["key": .string(reserved)], "key=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"),
        QueryCase(id: "T44", ["key": .string(escaped)], "key=" + escaped.replacing("%", with: "%25")),
        QueryCase(id: "T45", ["key": "value", "key1": "value&"], "key=value&key1=value%26"),
        QueryCase(
            id: "T47", ["key": .string("!" + String(repeating: emoji, count: 5))],
            "key=%21" + String(repeating: escapes(emoji), count: 5)),
        QueryCase(
            id: "D21",
            [
                "friendList": [["name": "tom", "age": 13], ["name": "bob", "age": 14]], "name": "jack",
            ],
            "friendList%5B%5D%5Bage%5D=13&friendList%5B%5D%5Bname%5D=tom"
                + "&friendList%5B%5D%5Bage%5D=14&friendList%5B%5D%5Bname%5D=bob&name=jack"),
        QueryCase(
            id: "D22", ["a": ["x": [1, 2], "y": 1], "b": 2, "c": .set(["z", "w"]), "n": nil],
            "a%5Bx%5D%5B%5D=1&a%5Bx%5D%5B%5D=2&a%5By%5D=1&b=2&c=w&c=z&n"),
        QueryCase(id: "names are sorted at each level", ["b": ["d": 1, "c": 2], "a": 3], "a=3&b%5Bc%5D=2&b%5Bd%5D=1"),
        QueryCase(id: "a name is sorted as a text", ["10": 1, "9": 2, "B": 3, "a": 4], "10=1&9=2&B=3&a=4"),
        QueryCase(id: "arrays keep their order", ["a": ["z", "b", "m"]], "a%5B%5D=z&a%5B%5D=b&a%5B%5D=m"),
        QueryCase(id: "empty containers are nothing", ["a": [], "b": [:], "c": .set([]), "d": [[]], "e": 1], "e=1"),
        QueryCase(id: "an empty text is a value", ["a": ""], "a="),
        QueryCase(id: "truth values are digits", ["no": false, "yes": true], "no=0&yes=1"),
        QueryCase(id: "whole numbers have no fraction", ["a": 1.0, "b": -0.5, "c": 1e20], "a=1&b=-0.5&c=1e%2B20"),
        QueryCase(
            id: "sets lie in arrays and objects", ["a": [.set([2, 1])], "b": ["c": .set(["x"])]],
            "a%5B%5D=1&a%5B%5D=2&b%5Bc%5D=x"),
        QueryCase(id: "null lies in arrays", ["a": [nil, 1]], "a%5B%5D&a%5B%5D=1"),
        QueryCase(id: "names are escaped", ["a b&": ["[c]": 1]], "a%20b%26%5B%5Bc%5D%5D=1"),
        QueryCase(id: "a name that is there twice stays", ["k": 2, "k": 1], "k=2&k=1"),
    ])
    func `parameters become this query`(row: QueryCase) throws {
        #expect(try row.parameters.query() == row.query)
    }

    @Test func `T46: percent-escaping`() {
        #expect(HTTPURL.percentEncode(":#[]@!$&'()*+,;=?/") == "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D?/")
    }

    @Test func `T46: every byte but letters, digits and -._~/? is escaped`() {
        for byte in UInt8.min..<0x80 {
            let text = String(Unicode.Scalar(byte))
            let isKept = byte.isASCIIWordByte || "-._~/?".utf8.contains(byte)
            let escape = "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            #expect(HTTPURL.percentEncode(text) == (isKept ? text : escape))
        }
    }

    @Test func `T48: a function makes the query`() throws {
        let style = ParameterEncoding.QueryStyle.custom {
            $0.items.map { "\($0.name)**\($0.value == "value" ? "value" : "")" }.joined()
        }
        #expect(try (["key": "value"] as Parameters).query(style) == "key**value")
    }

    @Test func `T49: what the function throws is the cause of the error`() {
        struct Refusal: Error, Equatable {}
        let style = ParameterEncoding.QueryStyle.custom { _ in throw Refusal() }
        let error = #expect(throws: ErrandError.self) { try (["key": "value"] as Parameters).query(style) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.cause is Refusal)
        let own = ParameterEncoding.QueryStyle.custom { _ in throw ErrandError(.unsupported, "no") }
        #expect(#expect(throws: ErrandError.self) { try Parameters().query(own) }?.code == .unsupported)
    }

    /// AFNetworking makes `=value` of a text and `(null)[]=` of an array at the top: here that is refused.
    @Test func `what is not made of names and values cannot be parameters`() {
        for error in [
            #expect(throws: ErrandError.self) { try Parameters(encoding: "value") },
            #expect(throws: ErrandError.self) { try Parameters(encoding: [1, 2]) },
        ] {
            #expect(error?.code == .encodingFailed)
            #expect(error?.message.contains("names and values") == true)
        }
    }
}

extension UInt8 {
    fileprivate var isASCIIWordByte: Bool {
        switch Unicode.Scalar(self) {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
    }
}
