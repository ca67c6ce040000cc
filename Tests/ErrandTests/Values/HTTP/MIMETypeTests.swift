internal import Errand
internal import TestEffort
internal import Testing

@Suite("MIMEType", .timeLimit(.minutes(60)), .paced)
struct MIMETypeTests {
    @Test(
        "reads the spellings of one type as equal",
        arguments: [
            "text/html;charset=utf-8", "Text/HTML;Charset=\"utf-8\"", "text/html; charset=\"UTF-8\"",
            " text/html ; ;\tcharset=\"utf\\-8\" ;",
        ])
    func spellings(text: String) throws {
        let type = try #require(MIMEType(text))
        #expect(type == "text/html; charset=utf-8")
        #expect(type.type == "text" && type.subtype == "html" && type.essence == "text/html")
        #expect(type.charset == "utf-8" && type["CHARSET"] == "utf-8" && type["x"] == nil)
        #expect(type.description == "text/html; charset=utf-8")
    }

    @Test("keeps parameters, quotes and escapes")
    func parameters() throws {
        let text = #"multipart/form-data; Boundary="a b\"\\;c"; x=Y; empty="""#
        let type = try #require(MIMEType(text))
        #expect(type.parameters.map(\.name) == ["boundary", "x", "empty"])
        #expect(type.parameters.map(\.value) == [#"a b"\;c"#, "Y", ""])
        #expect(type.description == #"multipart/form-data; boundary="a b\"\\;c"; x=Y; empty="""#)
        #expect(MIMEType(type.description) == type)
        #expect(type.charset == nil)
    }

    @Test(
        "refuses what does not follow the grammar",
        arguments: [
            "", " ", "text", "text/", "/html", "text/html/x", "text /html", "text/html charset", "text/html; charset",
            "text/html; charset=", "text/html; =x", "text/html; a = b", "text/html; a=\"b", "text/html; a=\"b\\",
            "text/html; a=\"b\"c", "text/html; a=\"\r\n\"", "téxt/html", "text/html\r\n", "text/html,text/plain",
        ])
    func malformed(text: String) {
        #expect(MIMEType(text) == nil)
    }

    @Test("keeps a malformed literal where it can be seen, and matches nothing with it")
    func malformedLiteral() {
        let type: MIMEType = "not a type"
        #expect(type.type == "not a type" && type.subtype.isEmpty && type.parameters.isEmpty)
        #expect(type.essence == "not a type" && type.description == "not a type")
        #expect(!type.matches(type) && !type.matches(.any) && !MIMEType.json.matches(type))
    }

    @Test(
        "matches patterns without regard to parameters",
        arguments: [
            ("application/json; charset=utf-8", "application/json", true), ("application/json", "application/*", true),
            ("application/json", "*/*", true), ("APPLICATION/JSON", "application/json; q=0.5", true),
            ("application/json", "text/*", false), ("application/json", "application/xml", false),
            ("application/json", "*/json", false),
        ])
    func matching(text: String, pattern: String, expected: Bool) throws {
        let type = try #require(MIMEType(text))
        #expect(type.matches(try #require(MIMEType(pattern))) == expected)
    }
}
