internal import Errand
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite(.timeLimit(.minutes(60)), .paced)
struct OutputNamesTests {
    private func names(_ paths: String...) throws -> [String] {
        var names = OutputNames()
        return try paths.map { names.name(for: try HTTPURL("http://a.test" + $0)) }
    }

    @Test(
        arguments: [
            ("/a/photo.png", "photo.png"), ("/photo.png?size=2/3#f/g", "photo.png"), ("/a%20b", "a b"),
            ("/%C3%A9", "é"),
            ("", "index"), ("/", "index"), ("/a/", "index"), ("?x", "index"), ("/.", "index"), ("/a/..", "index"),
            ("/%2e%2e", "index"), ("/%2E", "index"), ("/..%2f..%2fetc%2fpasswd", "passwd"),
            ("/%2Fetc%2Fpasswd", "passwd"), ("/a%00b%0Ac%1b", "abc"), ("/%FF", "%FF"), ("/a\\b", nil),
            ("/...", "index"), ("/~", "~"), ("/-rf", "-rf"), ("/a%E2%80%AEb", "ab"), ("/a%2F", "index"),
            ("/.profile", "profile"), ("/%2Eprofile", "profile"), ("/x%2F.bashrc?y", "bashrc"), ("/..ssh", "ssh"),
            ("/%20.x", "x"), ("/%E2%80%8B.x", "x"), ("/.%00.x", "x"), ("/a/.git/", "index"), ("/x%5C.y", "y"),
        ] as [(String, String?)])
    func `are the last component of the path, and never lead elsewhere`(_ path: String, _ name: String?) throws {
        guard let name else {
            // Not a URL in the first place.
            #expect(throws: ErrandError.self) { try self.names(path) }
            return
        }
        #expect(try self.names(path) == [name])
    }

    @Test func `have a number before the ending where they come again`() throws {
        #expect(try self.names("/a", "/b/a", "/a?x", "/c") == ["a", "a-2", "a-3", "c"])
        #expect(try self.names("/a.tar.gz", "/x/a.tar.gz", "/.x", "/a/.x") == ["a.tar.gz", "a.tar-2.gz", "x", "x-2"])
        #expect(try self.names("/", "/a/", "/index") == ["index", "index-2", "index-3"])
    }

    @Test func `give way to names that look like numbered ones`() throws {
        #expect(try self.names("/a-2", "/a", "/a", "/a-2", "/a") == ["a-2", "a", "a-3", "a-2-2", "a-4"])
        #expect(try self.names("/a", "/a", "/a-2") == ["a", "a-2", "a-2-2"])
    }

    @Test func `differ in more than case and the way accents are written`() throws {
        #expect(try self.names("/A.png", "/a.PNG", "/%C3%A9", "/e%CC%81") == ["A.png", "a-2.PNG", "é", "e\u{301}-2"])
    }

    @Test func `are short enough for a file`() throws {
        let long = String(repeating: "%F0%9F%98%80", count: 100)
        for (name, path) in zip(try self.names("/\(long).png", "/\(long).png", "/\(long)"), [".png", "-2.png", ""]) {
            #expect(name.utf8.count <= 240)
            #expect(name.hasSuffix(path))
            #expect(name.hasPrefix("😀😀"))
        }
    }

    @Test func `stay quick when all URLs are the same`() throws {
        var names = OutputNames()
        let url = try HTTPURL("http://a.test/same")
        var last = ""
        let count = TestEffort.rounds(of: 100_000)
        for _ in 0..<count { last = names.name(for: url) }
        #expect(last == "same-\(count)")
    }
}
