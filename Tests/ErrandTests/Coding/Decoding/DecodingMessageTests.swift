internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// A call as pages declare it.
private struct Unlisted: Endpoint {
    struct Response: Decodable, Sendable {
        let level: Int
    }

    var path: EndpointPath = "a"
}

/// A call with a value of several levels.
struct GetTeam: Endpoint {
    struct Response: Decodable, Sendable {
        struct Member: Decodable, Sendable {
            let name: String
            var tags: [String]?
            var home: URL?
        }

        let members: [Member]
        var lead: Member?
        var isOpen: Bool
    }

    var path: EndpointPath = "a"
}

@Suite("Decoding: what messages say", .timeLimit(.minutes(60)), .paced)
struct DecodingMessageTests {
    private func message<E: Endpoint>(_ endpoint: E, _ json: String) async throws -> String {
        let world = FixtureWorld()
        world.transport.route("a", .json(json))
        let error = try #require(await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) })
        #expect(error.code == .decodingFailed)
        return error.message
    }

    @Test(arguments: [
        (#"{"members": 1, "isOpen": true}"#, "at $.members expected array, found number"),
        (#"{"members": [], "isOpen": "yes"}"#, "at $.isOpen expected Bool, found string"),
        (#"{"members": [], "isOpen": null}"#, "at $.isOpen expected Bool, found null"),
        (#"{"members": []}"#, "at $ there is no \"isOpen\""),
        (
            #"{"members": [{"name": "a"}, {"name": true}], "isOpen": true}"#,
            "at $.members[1].name expected String, found boolean"
        ),
        (#"{"members": [{}], "isOpen": true}"#, "at $.members[0] there is no \"name\""),
        (
            #"{"members": [{"name": "a", "tags": [[]]}], "isOpen": true}"#,
            "at $.members[0].tags[0] expected String, found array"
        ),
        (#"{"members": [], "lead": [], "isOpen": true}"#, "at $.lead expected object, found array"),
        ("[]", "at $ expected object, found array"), ("{", "line 1, column 2: expected"),
    ])
    func `where, what is needed, and what is there`(json: String, words: String) async throws {
        let message = try await self.message(GetTeam(), json)
        #expect(message.hasPrefix("not JSON for GetTeam.Response: \(words)"), "\(message)")
    }

    private struct Numbers: Decodable, Sendable {
        var small: Int8?
        var whole: [Int]?
        var real: Double?
        var float: Float?
        var natural: UInt64?
        var exact: Decimal?
        var parts: [String: [[Int16]]]?
    }

    @Test(arguments: [
        (#"{"small": 300}"#, "$.small"), (#"{"small": -129, "real": 7}"#, "$.small"),
        (#"{"whole": [1, 2, 99999999999999999999]}"#, "$.whole[2]"), (#"{"whole": [1.5, 2]}"#, "$.whole[0]"),
        (#"{"real": 1e400}"#, "$.real"), (#"{"real": 1e-400}"#, "$.real"),
        (#"{"float": 1e39, "real": 1e39}"#, "$.float"),
        (#"{"natural": -1}"#, "$.natural"), (#"{"exact": 1e400}"#, "$.exact"),
        (#"{"real": 70000, "parts": {"a b": [[], [1, 70000, 70000]]}}"#, "$.parts[\"a b\"][1][1]"),
        (#"{"unknown": 1e999, "whole": [300], "small": 300}"#, "$.small"),
    ])
    func `a number out of range is named by its path`(json: String, path: String) {
        let response = HTTPResponse(status: 200, body: Data(json.utf8))
        let error = #expect(throws: ErrandError.self) { try ResponseDecoder<Numbers>.json.decode(response) }
        #expect(
            error?.message == "not JSON for Numbers: at \(path) the number does not fit the type that is needed")
    }

    @Test func `what an initializer refuses is said in its words, whatever numbers there are`() {
        struct Even: Decodable, Sendable {
            init(from decoder: any Decoder) throws {
                let number = try decoder.singleValueContainer().decode(Int.self)
                let context = DecodingError.Context(codingPath: [], debugDescription: "\(number) is not even")
                throw DecodingError.dataCorrupted(context)
            }
        }
        let error = #expect(throws: ErrandError.self) {
            try ResponseDecoder<Even>.json.decode(HTTPResponse(status: 200, body: Data("7".utf8)))
        }
        #expect(error?.message.contains("at $ 7 is not even") == true, "\(error?.message ?? "")")
    }

    @Test func `types in a file alone or with parameters go by their own names`() async throws {
        #expect(
            try await self.message(Unlisted(), #"{"level": "x"}"#)
                == "not JSON for Response: at $.level expected Int, found string")
        let message = try await self.message(FixtureJSON("a", [Int].self), #"[1, "x"]"#)
        #expect(message == "not JSON for Array<Int>: at $[1] expected Int, found string")
    }

    @Test func `names that a decoder has changed are said as it has them`() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let response = HTTPResponse(status: 200, body: Data(#"{"members": [], "is_open": 1.5}"#.utf8))
        let error = #expect(throws: ErrandError.self) {
            try ResponseDecoder<GetTeam.Response>.json(decoder).decode(response)
        }
        #expect(error?.message == "not JSON for GetTeam.Response: at $.isOpen expected Bool")
    }

    @Test func `of property lists too`() throws {
        let list = try PropertyListEncoder().encode(["members": "x"])
        let error = #expect(throws: ErrandError.self) {
            try ResponseDecoder<GetTeam.Response>.plist.decode(HTTPResponse(status: 200, body: list))
        }
        #expect(error?.message.hasPrefix("not a property list for GetTeam.Response: at $") == true)
    }
}
