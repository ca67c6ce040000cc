internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Pages", .timeLimit(.minutes(60)), .paced)
struct PagesTests {
    private let world = FixtureWorld(isRecording: true) { $0.headers = ["X-Api-Key": "secret"] }

    private func all<E: Endpoint>(_ pages: ResponsePages<E>) async throws(ErrandError) -> [E.Response] {
        var all: [E.Response] = []
        for try await page in pages { all.append(page) }
        return all
    }

    private func reply(_ text: String, next: String? = nil) -> StubReply {
        .text(text, headers: next.map { ["Link": "<\($0)>; rel=\"next\""] } ?? [:])
    }

    @Test func `follow the links of the server, with all that the call says`() async throws {
        self.world.transport.route("/a", self.reply("1", next: "/b?page=2"))
        self.world.transport.route("/b", self.reply("2", next: "https://api.test/c"))
        self.world.transport.route("/c", self.reply("3"))
        let call = FixtureText {
            $0.headers = ["X-Mine": "yes"]
            $0.parameters = ["size": "10"]
        }
        #expect(try await self.all(self.world.client.pages(call)) == ["1", "2", "3"])
        let sent = self.world.transport.received
        #expect(sent.map(\.url.requestTarget) == ["/a?size=10", "/b?page=2", "/c"])
        #expect(sent.allSatisfy { $0.headers["X-Mine"] == "yes" && $0.headers["X-Api-Key"] == "secret" })
        let names = Set(self.world.recorder.entries.map(\.activity.name))
        #expect(names == ["FixtureText"])
        await self.world.expectAtRest()
    }

    @Test(arguments: ["https://mallory:x@api.test/b", "//mallory@api.test/b", "https://:x@api.test/b"])
    func `are not asked for as the one whom a server names`(next: String) async throws {
        self.world.transport.route("/a", self.reply("1", next: next))
        self.world.transport.route("/b", self.reply("2", next: next))
        var iterator = self.world.client.pages(FixtureText()).makeAsyncIterator()
        #expect(try await iterator.next() == "1")
        #expect(try await iterator.next() == "2")
        #expect(self.world.transport.received.last?.headers["Authorization"] == nil)
        #expect(self.world.transport.received.last?.url.string == "https://api.test/b")
        await #expect(throws: ErrandError.self, "another user is not another page") { try await iterator.next() }
    }

    @Test func `are asked for one by one`() async throws {
        self.world.transport.route("/a", self.reply("1", next: "/a?2"), self.reply("2"))
        let pages = self.world.client.pages(FixtureText())
        #expect(self.world.sentPaths == [])
        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next() == "1")
        #expect(self.world.sentPaths == ["a"])
        #expect(try await iterator.next() == "2")
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(self.world.sentPaths == ["a", "a"])
    }

    @Test(arguments: [
        "https://other.test/a?2", "http://api.test/a?2", "https://api.test:444/a?2", "//other.test/a",
        "ftp://api.test/",
        "https://", "/a", "",
    ])
    func `do not lead to another origin, nor to themselves`(next: String) async throws {
        self.world.transport.route(where: { _ in true }, self.reply("1", next: next), self.reply("2"))
        var iterator = self.world.client.pages(FixtureText()).makeAsyncIterator()
        #expect(try await iterator.next() == "1", "the page itself is good")
        let error = await #expect(throws: ErrandError.self) { try await iterator.next() }
        #expect(error?.code == .invalidResponse)
        #expect(try await iterator.next() == nil)
        #expect(self.world.sentPaths == ["a"])
    }

    /// Expects these pages, and then word that they lead back.
    private func expectEnd(after expected: [String], sourceLocation: SourceLocation = #_sourceLocation) async {
        var pages: [String] = []
        let error = await #expect(throws: ErrandError.self, sourceLocation: sourceLocation) {
            for try await page in self.world.client.pages(FixtureText()) {
                pages.append(page)
                if pages.count > 9 { break }
            }
        }
        #expect(error?.code == .invalidResponse, sourceLocation: sourceLocation)
        #expect(pages == expected, sourceLocation: sourceLocation)
    }

    @Test func `do not lead in a circle`() async throws {
        self.world.transport.route("/a", self.reply("1", next: "/b"))
        self.world.transport.route("/b", self.reply("2", next: "/c"))
        self.world.transport.route("/c", self.reply("3", next: "/b"))
        await self.expectEnd(after: ["1", "2", "3"])
        #expect(self.world.sentPaths == ["a", "b", "c"])
    }

    @Test func `do not lead in a circle by way of redirections`() async throws {
        self.world.transport.route("/a", self.reply("1", next: "/from"))
        self.world.transport.route("/from", .status(302, headers: ["Location": "/b"]))
        // Each time by another way.
        self.world.transport.route("/b", self.reply("2", next: "/away?1"), self.reply("2", next: "/away?2"))
        self.world.transport.route("/away", .status(302, headers: ["Location": "/a"]))
        await self.expectEnd(after: ["1", "2"])
        #expect(self.world.sentPaths == ["a", "from", "b", "away", "a"])
    }

    @Test func `follow what a closure says`() async throws {
        self.world.transport.route(where: { _ in true }) { request, _ in .text(request.url.path) }
        let pages = self.world.client.pages(FixtureText("0"), options: .tag("list")) { page in
            let number = Int(page.value.dropFirst()) ?? 0
            return number < 3 ? FixtureText("\(number + 1)") : nil
        }
        #expect(try await self.all(pages) == ["/0", "/1", "/2", "/3"])
        #expect(try await self.all(pages) == ["/0", "/1", "/2", "/3"], "each loop begins anew")
        #expect(self.world.recorder.entries.allSatisfy { $0.activity.tag == "list" })
    }

    @Test func `end with a failure, that of the closure too`() async throws {
        self.world.transport.route("/a", self.reply("1", next: "/b"))
        self.world.transport.route("/b", .status(500))
        var iterator = self.world.client.pages(FixtureText()).makeAsyncIterator()
        #expect(try await iterator.next() == "1")
        let error = await #expect(throws: ErrandError.self) { try await iterator.next() }
        #expect(error?.code == .unacceptableStatus)
        #expect(try await iterator.next() == nil)
        let failing = self.world.client.pages(FixtureText()) { _ in throw FixtureError() }
        let failure = await #expect(throws: ErrandError.self) { try await self.all(failing) }
        #expect(failure?.code == .callbackFailed)
    }

    @Test func `are cancelled with their task`() async throws {
        let gate = StubGate()
        self.world.transport.route("/a", self.reply("1").held(by: gate))
        let task = Task { try await self.all(self.world.client.pages(FixtureText())) }
        await gate.waitUntilReached()
        task.cancel()
        let error = await #expect(throws: ErrandError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await self.world.expectAtRest()
    }

    @Test func `are kept in a cache by their own URLs`() async throws {
        self.world.transport.route("/a", self.reply("1", next: "/a?2"), self.reply("2"), self.reply("3"))
        let call = FixtureText { $0.options = .caching(.fresh(for: .seconds(60))) }
        #expect(try await self.all(self.world.client.pages(call)) == ["1", "2"])
        #expect(try await self.all(self.world.client.pages(call)) == ["1", "2"])
        #expect(self.world.sentPaths == ["a", "a"])
    }
}
