internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Errors: words on one line", .timeLimit(.minutes(60)), .paced)
struct ErrorWordsTests {
    private let world = FixtureWorld()

    private func lineCount<E: Endpoint>(_ endpoint: E) async throws -> Int {
        let error = await #expect(throws: ErrandError.self) { try await self.world.client.send(endpoint) }
        return "\(try #require(error))".split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
    }

    @Test(arguments: ["a\nb", "a\r\nSet-Cookie: x", "a\u{2028}b", "a\n"])
    func `whatever an app throws`(words: String) async throws {
        let interceptor = FixtureInterceptor { _, _, _ in throw FixtureError(description: words) }
        #expect(try await self.lineCount(FixtureText { $0.options = .interceptors([interceptor]) }) == 1)
    }

    @Test func `whatever a server sends`() async throws {
        self.world.transport.route("a", .json(#"{"x\ny":"z"}"#))
        #expect(try await self.lineCount(FixtureJSON("a", [String: Int].self)) == 1)
    }

    @Test(arguments: ["a\nb", "a\r\nb"])
    func `whatever the path`(path: String) async throws {
        #expect(try await self.lineCount(FixtureText(path)) == 1)
    }

    @Test func `without a space at the end for a status that has no phrase`() async throws {
        self.world.transport.route("a", .status(599))
        let error = await #expect(throws: ErrandError.self) { try await self.world.client.send(FixtureText()) }
        #expect(error?.message == "the server answered 599")
    }
}
