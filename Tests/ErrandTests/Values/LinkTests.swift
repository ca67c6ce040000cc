internal import Errand
internal import TestEffort
internal import Testing

@Suite("Links of a response (RFC 8288)", .timeLimit(.minutes(60)), .paced)
struct LinkTests {
    private func next(_ values: String...) -> String? {
        let fields = HTTPFields(values.map { HTTPField(name: "Link", value: $0) })
        return HTTPResponse.Head(status: 200, headers: fields).link(to: "next")
    }

    @Test(arguments: [
        (#"<https://api.test/a?page=2>; rel="next""#, "https://api.test/a?page=2"),
        (#"</a?page=1>; rel="prev", </a?page=3>; rel="next", </a?page=9>; rel="last""#, "/a?page=3"),
        (#"<?page=3>;rel=next"#, "?page=3"),
        (#"<a>; rel="first next""#, "a"),
        (#"<a>; REL="NEXT""#, "a"),
        (#"< a >; title="x, y; z"; rel="next""#, "a"),
        (#"<a>; title="<b>, \"c"; rel=prev, <d>; rel=next"#, "d"),
        (#"<a,b;c>; rel="next""#, "a,b;c"),
        (#"<a>; rel="next"; title*=UTF-8'de'n%c3%a4chste"#, "a"),
        (#" , ,<a> ; rel = next, <b>; rel="next""#, "b"),
        (#"<>; rel="next""#, ""), (#"<https://mallory:x@a.test/b@c?d=@>; rel=next"#, "https://a.test/b@c?d=@"),
        (#"<//mallory@a.test>; rel=next"#, "//a.test"), (#"</a@b>; rel=next"#, "/a@b"),
        (#"<a>; title=ü x; rel=next"#, "a"), (#"<a>; crossorigin; rel=next;"#, "a"),
    ])
    func `are read`(value: String, target: String) {
        #expect(self.next(value) == target)
    }

    @Test(arguments: [
        "", "a; rel=next", "<a; rel=next", "<a>", "<a>; rel=prev", #"<a>; rel="nextpage""#, "<a>; rel=\"next",
        #"<a>; anchor="/other"; rel="next""#, "<a> x; rel=next", ";;;,,,", #"""#,
    ])
    func `are passed over where they cannot be read, or are of something else`(value: String) {
        #expect(self.next(value) == nil)
        #expect(self.next(value, "<b>; rel=next") == "b")
    }

    @Test func `are looked for by their relation`() {
        let head = HTTPResponse.Head(status: 200, headers: ["Link": #"<a>; rel="Last""#])
        #expect(head.link(to: "last") == "a")
        #expect(head.link(to: "next") == nil)
        #expect(HTTPResponse.Head(status: 200).link(to: "next") == nil)
    }
}
