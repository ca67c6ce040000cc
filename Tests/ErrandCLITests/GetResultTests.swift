internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite(.timeLimit(.minutes(60)), .paced)
struct GetResultTests {
    private static let lost = GetResult.Problem(code: "connectionLost", message: "it \"broke\"\nhere\u{7}\u{2028}\\")

    @Test(arguments: [
        (
            GetResult(url: "http://a/", status: 200, bytes: 12, seconds: 0.0016),
            "200         12 B    0.002 s  http://a/"
        ),
        (
            GetResult(url: "http://a/", status: 404, bytes: 1_234_567_890, seconds: 61.5),
            "404 1234567890 B   61.500 s  http://a/"
        ),
        (
            GetResult(url: "http://a/", seconds: 2, problem: lost),
            "---            -    2.000 s  http://a/  connectionLost: it \"broke\"\\u{A}here\\u{7}\\u{2028}\\"
        ),
        (GetResult(url: "x"), "---            -          -  x"),
        (
            GetResult(url: "http://a/", status: 200, bytes: 0, seconds: 0, file: "/tmp/a\u{202E}b"),
            "200          0 B    0.000 s  http://a/  in /tmp/a\\u{202E}b"
        ),
    ])
    func `is one line for a person`(_ result: GetResult, _ line: String) {
        #expect(GetFormat.text.line(result) == line)
    }

    @Test(arguments: [
        (
            GetResult(url: "http://a/?b=\"", status: 200, bytes: 12, seconds: 0.0016),
            #"{"url":"http://a/?b=\"","status":200,"bytes":12,"seconds":0.002,"error":null}"#
        ),
        (
            GetResult(url: "http://ä/", seconds: 2, problem: lost),
            #"{"url":"http://ä/","status":null,"bytes":null,"seconds":2.000,"#
                + #""error":{"code":"connectionLost","message":"it \"broke\"\nhere\u0007\u2028\\"}}"#
        ),
        (GetResult(url: "x"), #"{"url":"x","status":null,"bytes":null,"seconds":null,"error":null}"#),
        (
            GetResult(url: "x", status: 200, bytes: 0, seconds: 0, file: "/tmp/\"a\""),
            #"{"url":"x","status":200,"bytes":0,"seconds":0.000,"error":null,"file":"/tmp/\"a\""}"#
        ),
    ])
    func `is one JSON object for a program`(_ result: GetResult, _ line: String) throws {
        #expect(GetFormat.json.line(result) == line)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["url"] as? String == result.url)
        let problem = object?["error"] as? [String: String]
        #expect(problem?["message"] == result.problem?.message)
    }

    @Test(arguments: [
        (GetResult(url: "x", status: 200), false), (GetResult(url: "x", status: 399), false),
        (GetResult(url: "x", status: 400), true), (GetResult(url: "x", status: 999), true),
        (GetResult(url: "x", problem: lost), true),
    ])
    func `fails with an error or a status from 400`(_ result: GetResult, _ isFailure: Bool) {
        #expect(result.isFailure == isFailure)
    }

    @Test func `comes back into order`() {
        var lines = Reordering<String>()
        #expect(lines.add("c", at: 2) == [])
        #expect(lines.add("a", at: 0) == ["a"])
        #expect(lines.add("e", at: 4) == [])
        #expect(lines.add("b", at: 1) == ["b", "c"])
        #expect(lines.add("g", at: 6) == [])
        #expect(lines.rest == ["e", "g"])
    }
}
