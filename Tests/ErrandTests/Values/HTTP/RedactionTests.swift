internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Secrets in texts and in bodies that are cut", .timeLimit(.minutes(60)), .paced)
struct RedactionTests {
    @Test(arguments: [
        ("https://h/?a=1;token=x&b", "https://h/?a=1;token=***&b"),
        ("https://h/?%FFtoken=x", "https://h/?%FFtoken=***"),
        ("https://h/?%zztok%65n=x", "https://h/?%zztok%65n=***"), ("https://h/?;;&&=&a", "https://h/?;;&&=&a"),
        ("https://h/?%74oken%=x", "https://h/?%74oken%=***"),
    ])
    func `names are found however they are encoded`(url: String, shown: String) throws {
        // A URL may have no `%` that encodes nothing; a `Location` may.
        let field = HTTPField(name: "Location", value: url)
        #expect(Redaction.standard.value(of: field) == shown)
        if let url = try? HTTPURL(url) { #expect(url.redacted == shown) }
    }

    @Test func `names that were added are secret as a whole, in any case`() throws {
        let redaction = Redaction(secretHeaders: ["X-Own"], secretNames: ["Id"])
        #expect(
            try HTTPURL("https://h/?ID=1&idx=2&%69d=3").redacted(by: redaction) == "https://h/?ID=***&idx=2&%69d=***")
        #expect(redaction.hides("id") && redaction.hides("x-own") && !redaction.hides("idx"))
        #expect(redaction.isSecret("token") && !redaction.isSecret("X-Own"))
        #expect(redaction.text("id: 1, x-own: 2") == "id: ***, x-own: ***")
    }

    @Test(arguments: [
        ("nothing to see: 1 = 2", "nothing to see: 1 = 2"), ("", ""), ("key", "key"), ("key:", "key:"),
        ("key: ", "key: "),
        ("the status code: 500", "the status code: 500"), ("code=500", "code=***"),
        ("token=a b", "token=*** b"), ("token = 'a b' c", "token = '***' c"),
        ("\"token\" : \"a\\\"b\" c", "\"token\" : \"***\" c"),
        ("{\\\"pwd\\\":\\\"a\\\",\\\"x\\\":1}", "{\\\"pwd\\\":\\\"***\\\",\\\"x\\\":1}"), ("pwd=\"\" x", "pwd=\"\" x"),
        ("Authorization: Bearer a, b", "Authorization: ***"), ("x-token: Basic a, b", "x-token: ***, b"),
        ("bearer authentication failed", "bearer authentication failed"), ("sent Bearer aB1.", "sent Bearer ***"),
        ("at https://u:p@h:1/a?b=1&key=x#f end", "at https://h:1/a?b=1&key=*** end"),
        ("(http://u@[::1]/#a)", "(http://[::1]/"), ("a@b.test", "a@b.test"), ("http://h/a@b", "http://h/a@b"),
        ("#12 is no fragment", "#12 is no fragment"), ("token: [1, 2]", "token: ***"), ("é: ü", "é: ü"),
        ("token\\", "token\\"), ("token:\\", "token:\\"), ("token:\"a\\", "token:\"***"), ("://", "://"),
    ])
    func `in a text what stands behind names of secrets is hidden`(text: String, shown: String) {
        #expect(Redaction.standard.text(text) == shown)
    }

    @Test(arguments: [
        (#" { "a" : [ 1 , true , null ] } "#, #" { "a" : [ 1 , true , null ] } "#),
        (#"{"token":"x","a":1}"#, #"{"token":"***","a":1}"#),
        (#"{"token":{"a":[1,{"b":2}]},"c":3}"#, #"{"token":"***","c":3}"#),
        (#"{"token":[],"pin":1.5e3}"#, #"{"token":"***","pin":"***"}"#),
        (#"{"tok\u0065n":"x"}"#, #"{"tok\u0065n":"***"}"#),
        (#"{"a":"\"token\":\"x\""}"#, #"{"a":"***"}"#), (#"{"a":"#, #"{"a":"#),
        (#"{"token":"#, #"{"token":"***""#),
        (#"{"token":"abc"#, #"{"token":"***""#), (#"{"token":{"a":1"#, #"{"token":"***""#), ("[1,tr", "[1,tr"),
        ("[1,trX", "[1,***"),
        ("{}\n{\"pin\":1}", "{}\n{\"pin\":\"***\"}"), ("{'pin':1}", "{***"), ("[1 2]", "[1 ***"), ("[1]]", "[1]***"),
        ("{\"a\":1}}", "{\"a\":1}***"), ("[}", "[***"), ("{\"a\" 1}", "{\"a\" ***"), ("[,]", "[***"), ("tokenx", "***"),
        ("{\"token\":{x", "{\"token\":\"***\""), ("", ""), ("\"", "\""), ("{\"token\\", "{\"token\\"), ("-", "-"),
    ])
    func `in JSON that is cut or broken, too`(text: String, shown: String) {
        #expect(String(decoding: Redaction.standard.beginning(ofJSON: text.utf8), as: UTF8.self) == shown)
    }

    @Test func `depth does not matter`() {
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(Redaction.standard.beginning(ofJSON: deep.utf8).count == 1_000_000)
    }
}
