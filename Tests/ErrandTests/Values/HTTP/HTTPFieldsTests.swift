internal import Errand
internal import TestEffort
internal import Testing

@Suite("HTTPFields", .timeLimit(.minutes(60)), .paced)
struct HTTPFieldsTests {
    private let sample: HTTPFields = ["Accept": "a", "Vary": "x", "accept": "b", "Set-Cookie": "1", "set-cookie": "2"]

    @Test("keeps order, spelling and repetitions")
    func order() {
        #expect(self.sample.map(\.name) == ["Accept", "Vary", "accept", "Set-Cookie", "set-cookie"])
        #expect(self.sample.map(\.value) == ["a", "x", "b", "1", "2"])
        #expect(self.sample.count == 5 && self.sample[1].value == "x" && self.sample.last?.value == "2")
        #expect(HTTPFields().isEmpty)
    }

    @Test("joins repeated fields, but not Set-Cookie")
    func joining() {
        #expect(self.sample["ACCEPT"] == "a, b")
        #expect(self.sample["vary"] == "x")
        #expect(self.sample["SET-COOKIE"] == "1")
        #expect(self.sample["Acceptx"] == nil)
        #expect(self.sample.values(for: "accept") == ["a", "b"])
        #expect(self.sample.values(for: "set-Cookie") == ["1", "2"])
        #expect(self.sample.values(for: "none").isEmpty)
        #expect(self.sample.contains("VARY") && !self.sample.contains("Var"))
    }

    @Test(
        "ignores the case of ASCII letters only",
        arguments: [("@", "`"), ("[", "{"), ("é", "É"), ("K", "\u{212A}"), ("\u{F900}", "\u{8C48}")])
    func caseFolding(left: String, right: String) {
        var fields = HTTPFields()
        fields[left] = "x"
        #expect(fields[right] == nil)
        #expect(HTTPField(name: left, value: "") != HTTPField(name: right, value: ""))
    }

    @Test("replaces every field of a name in the place of the first")
    func setting() {
        var fields = self.sample
        fields["ACCEPT"] = "c"
        #expect(fields.map(\.name) == ["ACCEPT", "Vary", "Set-Cookie", "set-cookie"])
        fields["New"] = "n"
        #expect(fields.last == HTTPField(name: "new", value: "n"))
        fields["set-cookie"] = nil
        #expect(fields.map(\.value) == ["c", "x", "n"])
        fields["none"] = nil
        fields.removeAll(named: "ACCEPT")
        #expect(fields.count == 2)
        fields.append(name: "vary", value: "y")
        #expect(fields["Vary"] == "x, y")
    }

    @Test("merges with and without replacing")
    func merging() {
        var replaced: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        var added = replaced
        let other: HTTPFields = ["a": "4", "A": "5", "C": "6"]
        replaced.merge(other, replacing: true)
        #expect(replaced == ["B": "2", "a": "4", "A": "5", "C": "6"])
        added.merge(other, replacing: false)
        #expect(added.map(\.value) == ["1", "2", "3", "4", "5", "6"])
        added.merge([:])
        #expect(added.count == 6)
    }

    @Test func `many fields are merged as few are`() {
        var fields = HTTPFields((0..<100).map { HTTPField(name: "X-\($0 % 50)", value: "old") })
        fields.append(name: "Y", value: "old")
        fields.merge(HTTPFields((0..<50).map { HTTPField(name: "x-\($0)", value: "new") }))
        #expect(fields.count == 51)
        #expect(fields["X-7"] == "new" && fields["Y"] == "old")
    }

    @Test(
        "drops spaces and tabs around a value",
        arguments: [("  a b\t", "a b"), ("\t \t", ""), ("", ""), ("a", "a"), (" a", "a"), ("a\u{A0}", "a\u{A0}")])
    func trimming(value: String, expected: String) {
        var fields: HTTPFields = ["X": "y"]
        fields["X"] = value
        #expect(fields["X"] == expected)
    }

    @Test("is equal and hashes the same whatever the case of names")
    func equality() {
        let left: HTTPFields = ["Content-Type": "a"]
        let right: HTTPFields = ["content-type": "a"]
        #expect(left == right && left.hashValue == right.hashValue)
        #expect(left != ["content-type": "A"])
        #expect(self.sample.description.hasPrefix("Accept: a\nVary: x\n"))
    }

    @Test("lets through what may be sent", arguments: [("a!#$%&'*+-.^_`|~09Z", "x"), ("X", ""), ("X", "a\tb \"é\" ~")])
    func valid(name: String, value: String) throws {
        try HTTPFields([HTTPField(name: name, value: value)]).validate()
    }

    @Test(
        "names the field and the character that may not be sent",
        arguments: [
            ("", "x", "a field has an empty name"),
            ("A B", "x", "the name of the field A?B contains the illegal character U+0020"),
            ("A:", "x", "the name of the field A? contains the illegal character \":\" (U+003A)"),
            ("A\r\nB", "x", "the name of the field A??B contains the illegal character U+000D"),
            ("É", "x", "the name of the field ? contains the illegal character U+00C9"),
            ("X", "a\r\nB: c", "the value of the field X contains the illegal character U+000D"),
            ("X", "a\nb", "the value of the field X contains the illegal character U+000A"),
            ("X", "a\u{0}", "the value of the field X contains the illegal character U+0000"),
            ("X", "\u{1B}[0m", "the value of the field X contains the illegal character U+001B"),
            ("X", "a\u{7F}", "the value of the field X contains the illegal character U+007F"),
        ])
    func invalid(name: String, value: String, message: String) {
        let fields: HTTPFields = ["Good": "x", name: value]
        do {
            try fields.validate()
            Issue.record("nothing was refused")
        } catch {
            #expect(error.message == message)
        }
    }
}
