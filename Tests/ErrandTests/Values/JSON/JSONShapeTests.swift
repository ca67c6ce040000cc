internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("JSON: shapes", .timeLimit(.minutes(60)), .paced)
struct JSONShapeTests {
    private static let user: JSONValue.Shape = [
        "nick": .string, "level": .number, "avatar": .optional(.string), "friends": [["id": .number]],
    ]

    private func problem(_ shape: JSONValue.Shape, _ json: String) throws -> String? {
        let value = try JSONValue(parsing: Data(json.utf8))
        do throws(ErrandError) {
            try shape.check(value)
            return nil
        } catch {
            #expect(error.code == .unacceptableShape)
            return error.message
        }
    }

    @Test(
        arguments: [
            (#"{"nick":"Ann","level":3,"friends":[{"id":1},{"id":2}]}"#, nil),
            (#"{"nick":"Ann","level":3,"friends":[],"avatar":"a","more":[1]}"#, nil),
            (#"{"nick":null,"level":null,"friends":null,"avatar":null}"#, nil),
            (
                #"{"nick":"Ann","level":3,"friends":[{"id":1},{"id":2},{"id":"3"}]}"#,
                "$.friends[2].id: expected number, found string"
            ),
            (#"{"nick":"Ann","level":3,"friends":[{"id":1},{}]}"#, "$.friends[1].id: expected number, found nothing"),
            (#"{"nick":"Ann","level":3,"friends":[null]}"#, "$.friends[0]: expected object, found null"),
            (#"{"nick":"Ann","level":3}"#, "$.friends: expected array, found nothing"),
            (#"{"nick":"Ann","level":true,"friends":[]}"#, "$.level: expected number, found bool"),
            (#"{"nick":"Ann","level":3,"friends":[],"avatar":1}"#, "$.avatar: expected string, found number"),
            ("[]", "$: expected object, found array"), ("null", "$: expected object, found null"),
        ] as [(String, String?)])
    func `name the first path that does not fit`(json: String, problem: String?) throws {
        #expect(try self.problem(Self.user, json) == problem)
    }

    @Test(
        arguments: [
            (JSONValue.Shape.any, "null", nil), (.optional(.number), "null", nil), (.object, #"{"a":1}"#, nil),
            (.object, "[]", "$: expected object, found array"), (.array, "[1,null]", nil), ([], "[1,null]", nil),
            ([.optional(.number)], "[1,null]", nil), ([.any], "[1,null]", nil),
            ([.number, .string], #"[1,"a"]"#, nil),
            ([.number, .string], "[1,true]", "$[1]: expected number or string, found bool"),
            (["a b": .bool], "{}", #"$["a b"]: expected bool, found nothing"#),
            (.oneOf(["a": .number], .string), #"{"a":true}"#, "$.a: expected number, found bool"),
            (.oneOf(.number, .number), "true", "$: expected number, found bool"),
            (.oneOf(), "1", "$: expected nothing, found number"),
        ] as [(JSONValue.Shape, String, String?)])
    func `can be all kinds of things`(shape: JSONValue.Shape, json: String, problem: String?) throws {
        #expect(try self.problem(shape, json) == problem)
    }

    @Test func `are values: a literal is the same as what it is made of`() {
        let shape: JSONValue.Shape = ["a": [.number], "a": [.string]]
        #expect(shape == JSONValue.Shape(members: ["a": JSONValue.Shape(elements: [.string])]))
        #expect(Set([shape, shape, .any]).count == 2)
    }

    @Test(arguments: UInt64(0)..<200)
    func `take what they are derived from, and none of its mutations`(seed: UInt64) throws {
        var chance = JSONChance(seed: seed)
        let value = chance.regularValue()
        let shape = JSONValue.Shape(of: value)
        try shape.check(value)
        for mutation in value.mutations {
            let problem = shape.mismatch(in: mutation.value)
            if mutation.change == .null, case .key = mutation.path.steps.last {
                #expect(problem == nil, "null is no member of its kind: \(mutation.path)")
            } else {
                #expect(problem?.path == mutation.path, "\(mutation)")
            }
        }
    }
}
