internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// What pages say that errors say.
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct TroubleExamples {
        private func said(_ reply: StubReply?, baseURL: String? = "https://api.example.com/v1/") async -> String {
            let transport = StubTransport()
            if let reply { transport.route("*", reply) }
            let client = Client(baseURL: baseURL) { $0.transport = transport }
            let error = await #expect(throws: ErrandError.self) { try await client.send(GetUser(userID: "1")) }
            return error.map { "\($0)" } ?? ""
        }

        private func isOnPage(_ words: String, _ page: String) throws -> Bool {
            try Pages.text(of: "Sources/Errand/Errand.docc/\(page).md").contains("`\(words)")
        }

        private func expect(_ words: String, in said: String, on page: String) throws {
            #expect(said.contains(words), "\(said)")
            #expect(try self.isOnPage(words, page), "\(page) does not have \(words)")
        }

        @Test func `the messages on the page for newcomers are those of the library`() async throws {
            let page = "GettingStarted"
            try self.expect(
                #""users" cannot be resolved: the client has no base URL"#, in: await self.said(nil, baseURL: nil),
                on: page)
            try self.expect(
                #"the base URL "api.example.com" cannot be used: a URL starts with http:// or https://"#,
                in: await self.said(nil, baseURL: "api.example.com"), on: page)
            try self.expect("the server answered 404 Not Found", in: await self.said(.status(404)), on: page)
            let html = StubReply.data(Data("<p>".utf8), headers: ["Content-Type": "text/html"])
            try self.expect("the content type text/html is not accepted", in: await self.said(html), on: page)
            try self.expect(
                #"there is no "level""#, in: await self.said(.json(["nick": "Ann", "avatar": "ann"])), on: page)
        }

        @Test func `the messages on the page about tests are those of the library`() async throws {
            try self.expect(
                "no route for GET https://api.example.com/v1/users?id=1", in: await self.said(nil), on: "Testing")
            try self.expect(
                "the response has a body but no content type", in: await self.said(.data(Data("{}".utf8))),
                on: "Testing")
        }
    }
}
