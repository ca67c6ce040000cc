internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    /// What one exchange sets on a handle must not reach the next one.
    @Suite("Any exchange after any other on one handle", .timeLimit(.minutes(60)), .paced)
    struct CurlHandleOrderTests {
        private enum Kind: CaseIterable, Sendable {
            case get, getStream, getFile, head, delete, options
            case postNothing, postBytes, putFile, putStream, patchStream
            case failing, stalled
        }

        private let server: LoopbackServer
        private let folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)/")

        init() throws {
            self.server = try LoopbackServer(routes: [
                LoopbackRoute("*", "/echo") { request in
                    .text("\(request.method) \(request.body.count) \(request.header("X-Kind") ?? "nothing")")
                }
            ])
            self.server.route("GET", "/failing", .raw("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"))
            self.server.route("GET", "/stalled", .stallInBody(after: 3, of: Data("content".utf8)))
        }

        @Test func `each does what it does on a new one`() async throws {
            try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: self.folder) }
            try Data("from a file".utf8).write(to: self.folder.appending(path: "body"))
            let transport = CurlTransport()
            for first in Kind.allCases {
                for second in Kind.allCases {
                    try await self.check(first, over: transport)
                    try await self.check(second, over: transport)
                }
            }
            // Those that failed or were left are gone.
            #expect(await transport.ledger() == CurlLedger(active: 0, idle: 0))
            try await self.check(.get, over: transport)
            #expect(await transport.ledger() == CurlLedger(active: 0, idle: 1))
            transport.shutdown()
            self.server.stop()
        }

        // MARK: - One exchange

        private func check(_ kind: Kind, over transport: CurlTransport) async throws {
            switch kind {
            case .get: try await self.expect("GET 0 get", .get, "get", over: transport)
            case .getStream: try await self.expect("GET 0 nothing", .get, into: .stream(buffer: 100), over: transport)
            case .getFile:
                let file = self.folder.appending(path: UUID().uuidString)
                try await self.expect("GET 0 file", .get, "file", into: .file(file), over: transport)
            case .head: try await self.expect("", .head, "head", over: transport)
            case .delete: try await self.expect("DELETE 0 nothing", .delete, over: transport)
            case .options: try await self.expect("OPTIONS 0 options", .options, "options", over: transport)
            case .postNothing: try await self.expect("POST 0 nothing", .post, over: transport)
            case .postBytes:
                try await self.expect("POST 5 bytes", .post, "bytes", body: .bytes(Data("bytes".utf8)), over: transport)
            case .putFile:
                let file = self.folder.appending(path: "body")
                try await self.expect("PUT 11 nothing", .put, body: .file(file), over: transport)
            case .putStream:
                try await self.expect("PUT 6 put", .put, "put", body: .stream(Self.pieces, length: 6), over: transport)
            case .patchStream:
                try await self.expect(
                    "PATCH 6 nothing", .patch, body: .stream(Self.pieces, length: nil), over: transport)
            case .failing: try await self.fail(over: transport)
            case .stalled:
                try await self.leave(over: transport)
                // What is left ends a little later.
                while await transport.ledger()?.active != 0 { await Task.yield() }
            }
        }

        private func expect(
            _ answer: String, _ method: HTTPMethod, _ field: String? = nil, body: HTTPRequest.Body = .none,
            into destination: ExchangeContext.BodyDestination = .memory(limit: 100),
            over transport: CurlTransport
        ) async throws {
            let url = try HTTPURL(parsing: self.server.baseURL + "echo")
            let fields: HTTPFields = if let field { ["X-Kind": field] } else { [:] }
            let request = HTTPRequest(method: method, url: url, headers: fields, body: body)
            let call = CurlExchangeCall(request, into: destination)
            #expect(try await call.outcome(over: transport).get() == Data(answer.utf8))
        }

        private func fail(over transport: CurlTransport) async throws {
            let outcome = try await CurlExchangeCall(self.server, "/failing").outcome(over: transport)
            let error = #expect(throws: ErrandError.self) { try outcome.get() }
            #expect(error?.code == .invalidResponse)
        }

        private func leave(over transport: CurlTransport) async throws {
            var call = try CurlExchangeCall(self.server, "/stalled")
            call.destination = .stream(buffer: 100)
            let context = ExchangeContext(requestID: .next(), attempt: 1, destination: call.destination)
            guard case .stream(let stream) = try await transport.exchange(call.request, context).body else {
                Issue.record("no stream")
                return
            }
            var reader = stream.makeAsyncIterator()
            #expect(try await reader.next() == Data("con".utf8))
        }

        private static var pieces: BodyStream {
            BodyStream {
                var rest = ["pie", "ces"]
                return { () async throws(ErrandError) -> Data? in rest.isEmpty ? nil : Data(rest.removeFirst().utf8) }
            }
        }
    }
#endif
