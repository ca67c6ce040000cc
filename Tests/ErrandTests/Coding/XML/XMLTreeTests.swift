internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("XML: trees", .timeLimit(.minutes(60)), .paced)
struct XMLTreeTests {
    private static let feed = Data(
        """
        <rss version="2.0"><channel>
            <title>News</title>
            <item id="1"><title> One <b>bold</b> title </title></item>
            <!-- between -->
            <item id="2"><title><![CDATA[Two & more]]></title></item>
        </channel></rss>
        """.utf8)

    @Test func `are looked into by names`() throws {
        let feed = try XMLTree(parsing: Self.feed)
        #expect(feed.name == "rss")
        #expect(feed.attribute("version") == "2.0")
        #expect(feed.attribute("none") == nil)
        #expect(feed["channel", "title"]?.text == "News")
        let items = try #require(feed["channel"]?.children(named: "item"))
        #expect(items.map { $0.attribute("id") } == ["1", "2"])
        #expect(items.map { $0["title"]?.text } == ["One bold title", "Two & more"])
        #expect(feed["channel"]?.children.map(\.name) == ["title", "item", "item"])
        #expect(feed["item"] == nil)
        #expect(feed["channel", "none", "title"] == nil)
        #expect(feed[] == feed)
    }

    @Test func `join the texts in a row, and keep white space`() throws {
        let tree = try XMLTree(parsing: Data("<a> x<!-- c --><![CDATA[y]]>&amp;<b/> z </a>".utf8))
        #expect(tree.nodes == [.text(" xy&"), .element(XMLTree(name: "b")), .text(" z ")])
        #expect(tree.text == "xy& z")
        #expect(try XMLTree(parsing: Data("<a> \n </a>".utf8)).text.isEmpty)
    }

    @Test(arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}")])
    func `names that only look alike are two`(one: String, other: String) throws {
        let tree = try XMLTree(parsing: Data("<a \(one)='1' \(other)='2'><\(one)/><\(other)/></a>".utf8))
        #expect(tree.attribute(one) == "1" && tree.attribute(other) == "2")
        #expect(tree.children(named: one).count == 1 && tree[other]?.name.isExactly(other) == true)
        #expect(XMLReader.Attribute(name: one, value: "") != XMLReader.Attribute(name: other, value: ""))
        #expect(throws: ErrandError.self) { try XMLTree(parsing: Data("<\(one)></\(other)>".utf8)) }
        #expect(throws: ErrandError.self) { try XMLTree(parsing: Data("<a \(one)='1' \(one)='2'/>".utf8)) }
    }
}
