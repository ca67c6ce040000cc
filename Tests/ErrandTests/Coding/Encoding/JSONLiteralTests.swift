internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

/// Whatever JSON can say can be written as a literal.
@Suite(.timeLimit(.minutes(60)), .paced)
struct JSONLiteralTests {
    private func text(_ body: RequestBody) throws -> String {
        guard case .bytes(let data)? = try body.encoded()?.body else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `a literal of many kinds is a body`() throws {
        let body = RequestBody.json(["a": 1, "b": ["c": nil, "d": [1, "x", true]]])
        #expect(try self.text(body) == #"{"a":1,"b":{"c":null,"d":[1,"x",true]}}"#)
        #expect(try body.encoded()?.contentType == .json)
    }

    @Test func `an array, an empty one, an empty object and null are bodies`() throws {
        #expect(try self.text(.json([1, "x", nil, [2.5], ["k": false]])) == #"[1,"x",null,[2.5],{"k":false}]"#)
        #expect(try self.text(.json([])) == "[]")
        #expect(try self.text(.json([:])) == "{}")
        #expect(try self.text(.json(nil)) == "null")
        #expect(try self.text(.json(["a": [], "b": [:]])) == #"{"a":[],"b":{}}"#)
    }

    @Test func `variables stand in a literal as their kind, or within a text`() throws {
        let (name, count, moment) = ("Ann", 3, Date(timeIntervalSince1970: 0))
        let body = RequestBody.json([
            "name": .string(name), "count": .int(count), "text": "\(name) \(count)", "at": .date(moment), "none": nil,
        ])
        #expect(
            try self.text(body)
                == #"{"at":"1970-01-01T00:00:00Z","count":3,"name":"Ann","none":null,"text":"Ann 3"}"#)
    }

    @Test func `literals of one kind, and values, are taken as before`() throws {
        let (name, none): (String, String?) = ("Ann", nil)
        #expect(try self.text(.json(["a": 1, "b": 2])) == #"{"a":1,"b":2}"#)
        #expect(try self.text(.json(["a": name])) == #"{"a":"Ann"}"#)
        #expect(try self.text(.json(["a": name, "b": none])) == #"{"a":"Ann","b":null}"#)
        #expect(try self.text(.json([name])) == #"["Ann"]"#)
        #expect(try self.text(.json("x")) == #""x""#)
        #expect(try self.text(.json(["a": 1, "b": "x"] as JSONValue)) == #"{"a":1,"b":"x"}"#)
    }

    @Test func `a style goes with a literal`() throws {
        let style = JSONStyle(dates: .secondsSince1970)
        #expect(
            try self.text(.json(["at": .date(Date(timeIntervalSince1970: 5)), "x": nil], style: style))
                == #"{"at":5,"x":null}"#)
    }

    @Test func `a name that an object has twice fails`() {
        let error = #expect(throws: ErrandError.self) { try RequestBody.json(["a": 1, "a": "x"]).encoded() }
        #expect(error?.code == .encodingFailed)
    }
}
