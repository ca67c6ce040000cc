internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("XML: events (G12)", .timeLimit(.minutes(60)), .paced)
struct XMLReaderTests {
    private func events(_ data: Data, charset: String? = nil) throws(ErrandError) -> [XMLReader.Event] {
        var reader = try XMLReader(data, charset: charset)
        var events: [XMLReader.Event] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    private func problem(_ data: Data) -> String? {
        do throws(ErrandError) {
            _ = try self.events(data)
            return nil
        } catch {
            #expect(error.code == .decodingFailed)
            return error.message
        }
    }

    @Test func `come in the order of the document`() throws {
        let document = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE feed [ <!ENTITY a "<b>"> <!-- "]>" --> <!ELEMENT feed ANY> <?x ]> ?> ]>
            <?style sheet="a"?>
            <f:feed xmlns:f="urn:f" a = '1 &lt; "2"' b="x\ty&#10;z">
            <é.1-_:/>A&amp;B&#x1F600;&#65;<![CDATA[<c> & ]]]]><!-- note --></f:feed>
            <!-- end -->
            """
        #expect(
            try self.events(Data(document.utf8)) == [
                .processingInstruction(target: "style", data: "sheet=\"a\""),
                .startElement(
                    name: "f:feed",
                    attributes: [
                        XMLReader.Attribute(name: "xmlns:f", value: "urn:f"),
                        XMLReader.Attribute(name: "a", value: "1 < \"2\""),
                        XMLReader.Attribute(name: "b", value: "x y\nz"),
                    ]),
                .text("\n"), .startElement(name: "é.1-_:", attributes: []), .endElement(name: "é.1-_:"),
                .text("A&B😀A"), .text("<c> & ]]"), .comment(" note "), .endElement(name: "f:feed"), .comment(" end "),
            ])
    }

    @Test func `have one line feed for each line break`() throws {
        let events = try self.events(Data("<a b='1\r\n2\r3\n4'>1\r\n2\r3\n\n4&#13;</a>".utf8))
        #expect(events[0] == .startElement(name: "a", attributes: [XMLReader.Attribute(name: "b", value: "1 2 3 4")]))
        #expect(events[1] == .text("1\n2\n3\n\n4\r"))
    }

    @Test(arguments: [
        ("", "line 1, column 1: expected a root element, found the end"),
        ("{\"a\":1}", "line 1, column 1: expected no text outside of the root element, found \"{\" (U+007B)"),
        ("<foo", "line 1, column 5: expected a space, \">\" or \"/>\", found the end"),
        ("<a>\n<b></a>", "line 2, column 8: found </a> instead of </b>"),
        ("<a>", "line 1, column 4: expected </a>, found the end"),
        ("</a>", "line 1, column 5: no element is open"),
        ("<a/><b/>", "line 1, column 5: there is more than one root element"),
        ("<a/>x", "line 1, column 5: expected no text outside of the root element, found \"x\" (U+0078)"),
        ("<a/><![CDATA[x]]>", "line 1, column 14: text outside of the root element"),
        ("<a b=1/>", "line 1, column 6: expected a quoted value, found \"1\" (U+0031)"),
        ("<a b/>", "line 1, column 5: expected \"=\", found \"/\" (U+002F)"),
        ("<a b='1'c='2'/>", "line 1, column 9: expected a space, \">\" or \"/>\", found \"c\" (U+0063)"),
        ("<a b='1' b='2'/>", "line 1, column 15: the attribute b is repeated"),
        ("<a b='<'/>", "line 1, column 7: \"<\" is not allowed in the value of an attribute"),
        ("<a b='", "line 1, column 7: the value of the attribute b does not end"),
        ("<a>]]></a>", "line 1, column 4: \"]]>\" stands in a text"),
        ("<a><!-- -- --></a>", "line 1, column 11: \"--\" stands in a comment"),
        ("<a><!--", "line 1, column 8: a comment does not end"),
        ("<a><![CDATA[x", "line 1, column 14: a CDATA section does not end"),
        ("<a><?x", "line 1, column 7: a processing instruction does not end"),
        ("<a><?x?y?></a>", "line 1, column 4: there is no space after the name of a processing instruction"),
        (" <?xml version='1.0'?><a/>", "line 1, column 2: an XML declaration is only allowed at the beginning"),
        ("<a>&</a>", "line 1, column 4: \"&\" does not begin a reference"),
        (
            "<a>&nbsp;</a>",
            "line 1, column 4: the entity \"nbsp\" is unknown: entities that the document declares are not supported"
        ),
        ("<a>&#0;</a>", "line 1, column 4: there is no character for \"&#0;\""),
        ("<a>&#x110000;</a>", "line 1, column 4: there is no character for \"&#x110000;\""),
        ("<a>&#+65;</a>", "line 1, column 4: there is no character for \"&#+65;\""),
        ("<a>\u{1}</a>", "line 1, column 4: a text has a character that XML does not allow"),
        ("<1/>", "line 1, column 2: the name of an element is invalid"),
        ("< a/>", "line 1, column 2: expected the name of an element, found U+0020"),
        ("<a\u{300}×/>", "line 1, column 2: the name of an element is invalid"),
        ("<!DOCTYPE a [", "line 1, column 14: the document type declaration does not end"),
        ("<!DOCTYPE a \"", "line 1, column 14: a quoted text does not end"),
        ("<a><!DOCTYPE a></a>", "line 1, column 5: expected the name of an element, found \"!\" (U+0021)"),
    ])
    func `end where a document is not well-formed, and say where`(document: String, problem: String) {
        #expect(self.problem(Data(document.utf8)) == "the text is not XML: \(problem)")
    }

    @Test(arguments: [
        ("<a#/>", "the name of an element is invalid"), ("<a b=\"#\"/>", "a text is not UTF-8"),
        ("<a>#</a>", "a text is not UTF-8"), ("<a b#='1'/>", "the name of an attribute is invalid"),
    ])
    func `end where bytes are not UTF-8; in a name these end the process with Foundation's parser on Linux`(
        document: String, problem: String
    ) {
        let bytes = document.utf8.map { $0 == UInt8(ascii: "#") ? 0xFF : $0 }
        #expect(self.problem(Data(bytes))?.hasSuffix(problem) == true)
    }

    @Test func `expand no entity, however it is declared`() throws {
        let declarations = (1...9).map { "<!ENTITY a\($0) \"" + String(repeating: "&a\($0 - 1);", count: 10) + "\">" }
        let bomb = "<!DOCTYPE a [<!ENTITY a0 \"lol\">" + declarations.joined() + "]><a>&a9;</a>"
        #expect(
            self.problem(Data(bomb.utf8))?.hasSuffix(
                "the entity \"a9\" is unknown: entities that the document declares are not supported") == true)
        let quadratic =
            "<!DOCTYPE a [<!ENTITY e \"\(String(repeating: "x", count: 100_000))\">]><a>\(String(repeating: "&e;", count: 30_000))</a>"
        #expect(self.problem(Data(quadratic.utf8))?.contains("the entity \"e\" is unknown") == true)
    }

    @Test func `load nothing`() {
        let document =
            "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\"><!ENTITY % p SYSTEM \"http://127.0.0.1:1/\"> %p;]><a>&e;</a>"
        #expect(self.problem(Data(document.utf8))?.contains("the entity \"e\" is unknown") == true)
        let harmless = "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0//EN\" 'http://127.0.0.1:1/'><a/>"
        #expect(self.problem(Data(harmless.utf8)) == nil)
    }

    @Test func `do not go deeper than any stack`() throws {
        func nested(_ depth: Int) -> Data {
            Data((String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)).utf8)
        }
        #expect(self.problem(nested(100_000))?.contains("more than 128 levels deep") == true)
        #expect(try self.events(nested(128)).count == 256)
        #expect(throws: Never.self) { try XMLTree(parsing: nested(128)) }
    }

    /// At full effort each of these takes minutes where something looks again and again at what it has seen.
    @Test(arguments: ["&", "<!--x-->", "a<!---->", "<b/>", "]", "<![CDATA[a]]>"])
    func `take time in proportion to the document`(piece: String) {
        let many = String(repeating: piece, count: TestEffort.rounds(of: 200_000))
        _ = try? XMLTree(parsing: Data("<a>\(many)</a>".utf8))
    }

    @Test func `take time in proportion to the attributes`() throws {
        let count = TestEffort.rounds(of: 100_000)
        let many = (0..<count).map { " a\($0)='x'" }.joined()
        #expect(try XMLTree(parsing: Data("<a\(many)/>".utf8)).attributes.count == count)
    }

    @Test(
        arguments: [
            ("<a>ä</a>", nil, String.Encoding.utf8),
            ("\u{FEFF}<a>ä</a>", nil, .utf8),
            ("\u{FEFF}<a>ä</a>", "iso-8859-1", .utf8),
            ("<?xml version='1.0' encoding='ISO-8859-1'?><a>ä</a>", nil, .isoLatin1),
            ("<?xml version='1.0' encoding='utf-8'?><a>ä</a>", "iso-8859-1", .isoLatin1),
            ("<a>ä</a>", nil, .utf16),
            ("<a>ä</a>", "utf-16le", .utf16LittleEndian),
            ("<a>ä</a>", "windows-1252", .windowsCP1252),
        ] as [(String, String?, String.Encoding)])
    func `read the charset of the document`(document: String, charset: String?, encoding: String.Encoding) throws {
        let data = try #require(document.data(using: encoding))
        #expect(try self.events(data, charset: charset)[1] == .text("ä"))
    }

    @Test func `know which charsets there are`() {
        #expect(
            self.problem(Data("<?xml version='1.0' encoding='klingon'?><a/>".utf8))
                == "the charset \"klingon\" is unknown")
    }

    @Test(arguments: UInt64(0)..<400)
    func `take any damage for what it is`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let document =
            "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e 'x'>]><a b='c &amp; d'>t<!-- c --><b:c/><![CDATA[x]]>&#65;<?p i?></a>"
        var bytes = Array(document.utf8)
        for _ in 0...random.next(below: 3) {
            let index = random.next(below: bytes.count)
            switch random.next(below: 3) {
            case 0: bytes.remove(at: index)
            case 1: bytes[index] = UInt8(random.next(below: 256))
            default: bytes.insert(bytes[random.next(below: bytes.count)], at: index)
            }
        }
        if let problem = self.problem(Data(bytes)) { #expect(problem.contains("line ") || problem.contains("charset")) }
    }
}
