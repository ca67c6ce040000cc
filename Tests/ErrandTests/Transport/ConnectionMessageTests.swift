internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Testing

@Suite("Connections: what messages say", .timeLimit(.minutes(60)))
struct ConnectionMessageTests {
    @Test func `a socket and a proxy that do not go together are both named`() {
        let settings = TransportSettings.with {
            ($0.unixSocket, $0.proxy) = ("/run/a.sock", .url("http://ann:pw@b.test"))
        }
        let error = #expect(throws: ErrandError.self) { try settings.validate() }
        #expect(error?.message == "the socket /run/a.sock cannot be reached through the proxy http://b.test:1080")
    }

    @Test(arguments: [("proxy.test:80", "\"proxy.test:80\""), ("http://a.test/path", "\"http://a.test/path\"")])
    func `a bad proxy is quoted`(text: String, quoted: String) {
        let error = #expect(throws: ErrandError.self) {
            try TransportSettings.with { $0.proxy = .url(text) }.validate()
        }
        #expect(error?.message.hasPrefix("\(quoted) is not the URL of a proxy: ") == true)
    }

    #if canImport(CErrandCurl)
        private func message(_ settings: TransportSettings) async throws -> String? {
            try #require(CurlTransport.isAvailable)
            let transport = CurlTransport(settings: settings)
            let client = Client(baseURL: "http://a.test/") { $0.transport = transport }
            let error = await #expect(throws: ErrandError.self) { try await client.send(FixtureText()) }
            #expect(error?.code == .cannotConnect)
            transport.shutdown()
            return error?.message
        }

        @Test func `a socket that nobody listens at is named`() async throws {
            let folder = try TestFolder()
            let path = folder.file("x.sock").path
            let message = try await self.message(.with { ($0.unixSocket, $0.proxy) = (path, .none) })
            #expect(message?.hasPrefix("no connection could be made at the socket \(path): ") == true)
        }

        @Test func `a proxy that nobody listens at is named, without credentials`() async throws {
            let message = try await self.message(.with { $0.proxy = .url("http://ann:hunter2@127.0.0.1:1") })
            #expect(message?.hasPrefix("no connection could be made through the proxy http://127.0.0.1:1: ") == true)
            #expect(message?.contains("hunter2") == false)
        }
    #endif
}
