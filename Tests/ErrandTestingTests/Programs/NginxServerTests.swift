#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite("NginxServer", .timeLimit(.minutes(60)), .paced, .enabled(if: Curl.isThere, Curl.comment))
    struct NginxServerTests {
        private let curl = Curl()

        @Test(arguments: [1, 3]) func `answers with a little, and with what it knows`(workers: Int) async throws {
            var options = NginxServer.Options()
            options.workers = workers
            let server = try await NginxServer(options)
            #expect(try await self.curl.get(server.baseURL + "small").utf8.count == 1024)
            let about = NginxServer.About(Data(try await self.curl.get(server.baseURL + "about").utf8))
            #expect(about.httpVersion == "HTTP/1.1")
            #expect(about.clientAddress == "127.0.0.1")
            #expect(about.connection?.isEmpty == false)
            #expect(about.tlsVersion == "")
            #expect(about.clientName == "")
            #expect(try await self.curl.status(server.baseURL + "none") == "404")
            server.stop()
            #expect(try await self.curl.code(server.baseURL) == 7)
        }

        @Test func `serves files, whole and in part`() async throws {
            let server = try await NginxServer()
            let url = server.baseURL + (try server.addFile("large", size: 300_000))
            #expect(try await self.curl.get("-w", "%{size_download}", "-o", "/dev/null", url) == "300000")
            #expect(
                try await self.curl.get("-w", "%{http_code} %{size_download}", "-o", "/dev/null", "-r", "9-18", url)
                    == "206 10")
        }

        @Test func `takes uploads and keeps them`() async throws {
            let (server, folder) = (try await NginxServer(), try TestFolder())
            let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
            try body.write(to: folder.file("body"))
            let (file, url) = (folder.file("body").path, server.baseURL + "uploads/a")
            #expect(try await self.curl.status("-T", file, url) == "201")
            #expect(try Data(contentsOf: server.upload("a")) == body)
            #expect(try await self.curl.status("-T", file, "-H", "Transfer-Encoding: chunked", url) == "204")
            #expect(try Data(contentsOf: server.upload("a")) == body)
            #expect(try await self.curl.get("-w", "%{size_download}", "-o", "/dev/null", url) == "3000000")
        }

        @Test(arguments: ["PUT", "POST"]) func `throws bodies away once it has read them`(method: String) async throws {
            let (server, folder) = (try await NginxServer(), try TestFolder())
            try Data(count: 3_000_000).write(to: folder.file("body"))
            let words = "%{http_code} %{size_upload}"
            let url = server.baseURL + "sink"
            #expect(
                try await self.curl.get("-X", method, "-T", folder.file("body").path, "-w", words, url) == "204 3000000"
            )
        }

        @Test func `listens on a socket in its folder as well`() async throws {
            let server = try await NginxServer()
            let text = try await self.curl.get("--unix-socket", server.unixSocket, "http://any.test/about")
            #expect(NginxServer.About(Data(text.utf8)).clientAddress == "unix:")
        }

        @Test func `speaks HTTP/2 without TLS`() async throws {
            var options = NginxServer.Options()
            options.isHTTP2 = true
            let server = try await NginxServer(options)
            let text = try await self.curl.get("--http2-prior-knowledge", server.baseURL + "about")
            #expect(NginxServer.About(Data(text.utf8)).httpVersion == "HTTP/2.0")
        }

        @Test func `keeps one connection for many requests`() async throws {
            let server = try await NginxServer()
            let url = server.baseURL + "about"
            let lines = try await self.curl.get(url, url, url).split(separator: "\n")
            #expect(lines.filter { $0.hasPrefix("connection=") }.count == 3)
            #expect(Set(lines.filter { $0.hasPrefix("connection=") }).count == 1)
        }

        @Test func `says why it does not start`() async throws {
            var options = NginxServer.Options()
            options.clientAuthority = URL(filePath: "/none")
            options.identity = TestCertificates.Identity(
                certificate: URL(filePath: "/none"), key: URL(filePath: "/none"), pin: "")
            let error = await #expect(throws: ProgramError.self) { try await NginxServer(options) }
            #expect(error?.description.contains("/none") == true)
        }

        @Test func `takes its folder with it`() async throws {
            var server: NginxServer? = try await NginxServer()
            let path = try #require(server?.unixSocket)
            #expect(FileManager.default.fileExists(atPath: path))
            server = nil
            #expect(!FileManager.default.fileExists(atPath: URL(filePath: path).deletingLastPathComponent().path))
        }
    }
#endif
