internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// Texts that a `String` takes for the same, and a peer does not.
@Suite("Texts from outside: bytes count", .timeLimit(.minutes(60)), .paced)
struct ExactTextTests {
    /// "é" as one code point and as two, and "K" and the Kelvin sign.
    static let pairs = [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{C5}", "\u{212B}"), (";", "\u{37E}")]

    @Test(arguments: Self.pairs)
    func `two spellings of the same characters are two keys`(one: String, other: String) {
        #expect(one == other)
        #expect(ExactText(one) != ExactText(other) && ExactText(one) == ExactText(one))
        #expect(Set([ExactText(one), ExactText(other), ExactText(one)]).count == 2)
        #expect([one, other, one].uniqued().map { Array($0.utf8) } == [Array(one.utf8), Array(other.utf8)])
        #expect((ExactText(one) < ExactText(other)) != (ExactText(other) < ExactText(one)))
        #expect(!one.isExactly(other) && one.isExactly(one))
    }

    @Test func `a delimiter is one, whatever combines with it`() {
        #expect("a,\u{301}b".parts(at: ",") == ["a", "\u{301}b"])
        #expect(",a,,b".parts(at: ",", omittingEmpty: false) == ["", "a", "", "b"])
        #expect("a=b=c".parts(at: "=", maxSplits: 1) == ["a", "b=c"])
        #expect("".parts(at: ",") == [] && "".parts(at: ",", omittingEmpty: false) == [""])
        #expect("a?\u{301}b".part(before: "?", "#") == "a")
        #expect("ab".part(before: "?") == "ab")
        let replaced = "it'\u{301}s".replacingExactly("'", with: "-")
        #expect(replaced.utf8.elementsEqual("it-\u{301}s".utf8))
        #expect("W/\u{301}".startsExactly(with: "W/") && !"W".startsExactly(with: "W/"))
        #expect("a\u{301}+json".endsExactly(with: "+json") && !"json".endsExactly(with: "+json"))
        #expect("a@\u{301}b".containsExactly("@") && !"ab".containsExactly("@") && "".containsExactly(""))
        #expect("a://\u{301}b".containsExactly("://") && !"a:/".containsExactly("://"))
    }

    @Test func `small letters are those of ASCII alone`() {
        #expect("ETag-İ".asciiLowercased() == "etag-İ")
        #expect("\u{212A}eep-Alive".asciiLowercased().utf8.elementsEqual("\u{212A}eep-alive".utf8))
        #expect("plain".asciiLowercased() == "plain")
    }

    @Test(arguments: Self.pairs)
    func `header fields are the same octet by octet`(one: String, other: String) {
        #expect(HTTPField(name: "X", value: one) != HTTPField(name: "x", value: other))
        #expect(HTTPField(name: "X", value: one) == HTTPField(name: "x", value: one))
        #expect(Set([HTTPField(name: "X", value: one), HTTPField(name: "X", value: other)]).count == 2)
        #expect(!EntityTag.match("\"\(one)\"", "W/\"\(other)\"", strongly: false))
        #expect(EntityTag.match("\"\(one)\"", "W/\"\(one)\"", strongly: false))
        let nominated = HTTPVary(["Vary": "X"]).nominated(by: ["X": one])
        #expect(nominated.match(["X": one]) && !nominated.match(["X": other]))
    }

    @Test func `an entity tag that begins with a combining mark is a tag`() {
        #expect(EntityTag.isStrong("\"\u{301}\"") && EntityTag.isWeak("W/\u{301}"))
        #expect(!EntityTag.match("W/\u{301}a", "W/a", strongly: false))
    }
}
