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

    private struct Point: Encodable {
        let x: Int
    }

    @Test func `variables of different types stand in a literal as they are`() throws {
        let (id, name, isNew, page): (Int, String, Bool, Int?) = (7, "Ann", true, nil)
        #expect(try self.text(.json(["id": id])) == #"{"id":7}"#)
        #expect(try self.text(.json(["id": id, "name": name])) == #"{"id":7,"name":"Ann"}"#)
        let body = RequestBody.json([
            "id": id, "name": name, "new": isNew, "page": page, "at": Point(x: 1), "tags": ["a", "b"], "rate": 2.5,
            "on": Date(timeIntervalSince1970: 0), "last": nil,
        ])
        #expect(
            try self.text(body)
                == #"{"at":{"x":1},"id":7,"last":null,"name":"Ann","new":true,"on":"1970-01-01T00:00:00Z","page":null,"#
                + #""rate":2.5,"tags":["a","b"]}"#)
        #expect(try body.encoded()?.contentType == .json)
        #expect(try self.text(.json([id, name, nil, [id]])) == #"[7,"Ann",null,[7]]"#)
        let inner: Parameters.Value = ["from": .int(id), "to": nil]
        #expect(
            try self.text(.json(["id": id, "name": name, "range": inner]))
                == #"{"id":7,"name":"Ann","range":{"from":7,"to":null}}"#)
    }

    @Test func `variables of different types keep a style, and refuse a name that occurs twice`() throws {
        let (id, name) = (7, "Ann")
        let style = ParameterEncoding.JSONStyle(sortsKeys: true, keys: .snakeCase)
        #expect(
            try self.text(.json(["userID": id, "nickName": name], style: style))
                == #"{"nick_name":"Ann","user_id":7}"#)
        let error = #expect(throws: ErrandError.self) { try RequestBody.json(["a": id, "a": name]).encoded() }
        #expect(error?.code == .encodingFailed)
        #expect(error?.message.contains("occurs more than once") == true, "\(error?.message ?? "")")
    }

    @Test func `a style goes with a literal`() throws {
        let style = ParameterEncoding.JSONStyle(dates: .secondsSince1970)
        #expect(
            try self.text(.json(["at": .date(Date(timeIntervalSince1970: 5)), "x": nil], style: style))
                == #"{"at":5,"x":null}"#)
    }

    @Test func `a name that an object has twice fails`() {
        let error = #expect(throws: ErrandError.self) { try RequestBody.json(["a": 1, "a": "x"]).encoded() }
        #expect(error?.code == .encodingFailed)
    }
}
