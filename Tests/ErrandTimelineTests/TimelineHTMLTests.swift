internal import Errand
internal import ErrandTimeline
internal import Foundation
internal import TestEffort
internal import Testing

/// The page as text.
@Suite(.timeLimit(.minutes(60)), .paced)
struct TimelineHTMLTests {
    private let page = TimelineFixture.everything.html()

    @Test func `the page allows what it has in it, and nothing else`() throws {
        let policy = try #require(self.page.firstMatch(of: /Content-Security-Policy" content="([^"]*)"/)?.1)
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains("*"))
        let (styles, scripts) = (self.texts(of: "style"), self.texts(of: "script"))
        #expect(styles.count == 2 && scripts.count == 1)
        for text in styles + scripts {
            let hash = Data(SHA256(of: text).bytes).base64EncodedString()
            #expect(policy.contains("'sha256-\(hash)'"))
        }
        #expect(self.page.firstRange(of: " style=") == nil && self.page.firstMatch(of: /\son[a-z]+=/) == nil)
    }

    private func texts(of element: String) -> [String] {
        self.page.components(separatedBy: "<\(element)>").dropFirst()
            .map { $0.components(separatedBy: "</\(element)>")[0] }
    }

    @Test func `the page loads nothing`() {
        let addresses = self.page.matches(of: /(?:src|href|action)="([^"]*)"/)
        #expect(addresses.isEmpty)
        #expect(!self.page.contains("@import") && !self.page.contains("<link") && !self.page.contains("fetch("))
    }

    @Test func `the table has a line for each row, and the numbers`() {
        let lines = self.page.split(separator: "\n").filter { $0.hasPrefix("<tr><th scope=\"row\">") }
        #expect(lines.count == TimelineFixture.everything.spans.count)
        #expect(
            lines.contains {
                $0.contains("Get&lt;&quot;Käse&quot; &amp; &#39;Brot&#39;&gt; [0]") && $0.contains("45.0 ms")
            })
        #expect(self.page.contains("<td colspan=\"15\">… and 7 more</td>"))
    }

    @Test func `a page of nothing is a page`() {
        let page = Timeline().html()
        #expect(page.contains("Nothing ran.") && page.hasSuffix("</html>\n"))
    }
}
