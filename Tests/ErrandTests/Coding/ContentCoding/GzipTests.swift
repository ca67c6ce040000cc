internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Bodies compressed with gzip", .timeLimit(.minutes(60)), .paced)
struct GzipTests {
    /// Bytes that can be compressed, but not to nothing.
    private static let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0 &* $0 >> 11) })

    private func encoded(_ body: RequestBody) throws -> RequestBody.Encoded {
        try #require(try body.encoded())
    }

    #if os(Linux)
        /// A server that sends back what it got, with the coding that it came with.
        private static func echo() throws -> LoopbackServer {
            let server = try LoopbackServer()
            server.route("POST", "/echo") { request in
                .data(request.body, headers: ["Content-Encoding": request.header("Content-Encoding") ?? "identity"])
            }
            return server
        }

        private struct Echo: Endpoint {
            let body: RequestBody
            var path: EndpointPath { "echo" }
            var method: HTTPMethod { .post }
        }

        @Test(arguments: [0, 1, 6, 9])
        func `arrive as they were, whatever they come from`(level: Int) async throws {
            let server = try Self.echo()
            let client = Client(baseURL: server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            }
            let folder = try FixtureFolder()
            let pieces = stride(from: 0, to: Self.content.count, by: 7777).map {
                Self.content.dropFirst($0).prefix(7777)
            }
            let bodies: [RequestBody] = [
                .bytes(Self.content), .file(try folder.file("f", Self.content)),
                .stream(FixtureBody.stream(Array(pieces))), .stream(FixtureBody.stream([])), .bytes(Data()),
            ]
            for (index, body) in bodies.enumerated() {
                let answer = try await client.send(Echo(body: body.gzipped(level: level)))
                #expect(answer == (index < 3 ? Self.content : Data()), "\(index)")
                let sent = try #require(server.received.last)
                #expect(sent.header("Content-Encoding") == "gzip")
                #expect(sent.body.starts(with: [0x1F, 0x8B]))
                #expect(level == 0 || index >= 3 || sent.body.count < Self.content.count)
            }
            await client.shutdown()
            server.stop()
        }
    #endif

    @Test func `keep their type, and can be sent again if they could`() throws {
        let body = try self.encoded(RequestBody.bytes(Self.content, contentType: "text/csv").gzipped())
        #expect(body.contentType == "text/csv")
        #expect(body.contentEncoding == "gzip")
        for isRepeatable in [true, false] {
            let stream = FixtureBody.stream([Self.content], isRepeatable: isRepeatable)
            guard case .stream(let gzipped, nil) = try self.encoded(.stream(stream, length: 300_000).gzipped()).body
            else {
                Issue.record("the body is no stream without a length")
                return
            }
            #expect(gzipped.isRepeatable == isRepeatable)
        }
    }

    @Test func `are the same however the bytes come`() async throws {
        let whole = try await FixtureBody.content(of: RequestBody.bytes(Self.content).gzipped())
        let pieces = Self.content.map { Data([$0]) }
        #expect(try await FixtureBody.content(of: RequestBody.stream(FixtureBody.stream(pieces)).gzipped()) == whole)
    }

    @Test func `stay none where there is none`() throws {
        let none = try RequestBody.none.gzipped().encoded()
        #expect(none.map { _ in 1 } == nil)
        #expect(try self.encoded(RequestBody.multipart(MultipartForm()).gzipped()).contentEncoding == nil)
    }

    @Test(arguments: [-1, 10])
    func `fail with a level that there is not`(level: Int) {
        #expect(FixtureBody.failure(of: RequestBody.text("a").gzipped(level: level))?.code == .encodingFailed)
    }

    @Test func `fail with a file that is not there`() {
        let body = RequestBody.file(URL(filePath: "/nowhere/at/all")).gzipped()
        #expect(FixtureBody.failure(of: body)?.code == .encodingFailed)
    }
}
