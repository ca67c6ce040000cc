#if os(Linux)
    internal import Errand
    internal import ErrandLocks
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite(
        "Requests that servers did not process (G16)", .timeLimit(.minutes(60)), .paced,
        .enabled(if: TLSScene.isPossible, TLSScene.comment))
    struct UnprocessedRequestTests {
        /// What the servers of a test do, and a client that trusts them and retries nothing.
        private struct Scene {
            let certificates: TLSScene
            let server: PythonServer
            let transport: CurlTransport

            init(_ habits: [String], versions: String = "h2 http/1.1") async throws {
                self.certificates = try await TLSScene()
                self.server = try await PythonScripts.connections(
                    habits, self.certificates.certificates.server, versions: versions)
                self.transport = CurlTransport(
                    settings: .with { [authority = self.certificates.authority] in $0.tls.standard.trust = authority })
            }

            func send(
                _ method: HTTPMethod = .post, body: HTTPRequest.Body = .bytes(Data("order".utf8)),
                observer: (@Sendable (ExchangeEvent) -> Void)? = nil
            ) async throws(ErrandError) -> String {
                let url = try HTTPURL("https://127.0.0.1:\(self.server.port)/")
                let response = try await self.transport.exchange(
                    HTTPRequest(method: method, url: url, body: method == .get ? .none : body),
                    ExchangeContext(
                        requestID: .next(), attempt: 1, destination: .memory(limit: 1 << 20), observer: observer))
                return String(decoding: response.data, as: UTF8.self)
            }

            /// Ends the server, and says why if it has failed.
            func stop() {
                self.transport.shutdown()
                self.server.stop()
                #expect(self.server.complaint == "")
            }
        }

        // MARK: - Not processed

        @Test(arguments: ["goaway", "refuse", "http11"], [HTTPMethod.post, .get, .delete])
        func `a request that the server says it did not process is sent again, whatever its method`(
            habit: String, method: HTTPMethod
        ) async throws {
            let scene = try await Scene([habit])
            // On the second connection, as the second request that the server has seen.
            #expect(try await scene.send(method) == "2 2")
            #expect(try await scene.send(method).hasPrefix("2 "))
            scene.stop()
        }

        @Test func `a response that is broken off is not whole, whatever the server asks for then`() async throws {
            let scene = try await Scene(["half"])
            let error = await #expect(throws: ErrandError.self) { try await scene.send(.get) }
            #expect(error?.code == .connectionLost)
            scene.stop()
        }

        @Test(arguments: ["goaway", "refuse", "http11"])
        func `its content is sent from the beginning, however it is read`(
            habit: String
        ) async throws {
            let folder = try TestFolder()
            try Data("order".utf8).write(to: folder.file("order"))
            for body in [HTTPRequest.Body.bytes(Data(count: 50_000)), .file(folder.file("order"))] {
                let scene = try await Scene([habit])
                #expect(try await scene.send(body: body) { _ in } == "2 2")
                scene.stop()
            }
        }

        @Test(arguments: ["goaway", "refuse", "http11"], [HTTPMethod.post, .get])
        func `so is one on a connection that was used before`(habit: String, method: HTTPMethod) async throws {
            let scene = try await Scene(["\(habit)-from-2"])
            #expect(try await scene.send(method) == "1 1")
            #expect(try await scene.send(method) == "2 3")
            scene.stop()
        }

        @Test(arguments: ["goaway", "refuse"]) func `a stream of which nothing was read is sent again, too`(
            habit: String
        ) async throws {
            let scene = try await Scene([habit])
            let gate = FixtureGate()
            let stream = BodyStream {
                var rest = ["or", "der"]
                return { () async throws(ErrandError) -> Data? in
                    await gate.pass()
                    return rest.isEmpty ? nil : Data(rest.removeFirst().utf8)
                }
            }
            let connections = Locked(0)
            // Nothing can be read before the request goes onto its second connection.
            let response = try await scene.send(body: .stream(stream, length: nil)) { event in
                guard case .connected = event else { return }
                let count = connections.withLock { count in
                    count += 1
                    return count
                }
                if count == 2 { gate.open() }
            }
            #expect(response == "2 2")
            scene.stop()
        }

        @Test(arguments: ["goaway", "refuse"]) func `a server that refuses all is not asked without end`(
            habit: String
        ) async throws {
            let scene = try await Scene(Array(repeating: habit, count: 100))
            let error = await #expect(throws: ErrandError.self) { try await scene.send() }
            #expect(error?.code == .connectionLost)
            scene.stop()
        }

        @Test func `many at once are all sent again when the server goes away`() async throws {
            let scene = try await Scene(["goaway-from-5", "goaway-from-9", "refuse-from-3"])
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await scene.send() } }
                for try await _ in group {}
            }
            scene.stop()
        }

        // MARK: - Perhaps processed

        @Test(arguments: ["fail", "covering", "close", "cut", "broken"], ["", "-from-2"])
        func `a request that may have been processed is not sent again`(habit: String, start: String) async throws {
            let scene = try await Scene([habit + start])
            if !start.isEmpty { #expect(try await scene.send() == "1 1") }
            let error = await #expect(throws: ErrandError.self) { try await scene.send() }
            #expect(error?.code == .connectionLost && error?.isUnprocessed == false, "\(error.map { "\($0)" } ?? "")")
            let seen = start.isEmpty ? 2 : 3
            #expect(try await scene.send().hasSuffix(" \(seen)"))
            scene.stop()
        }

        // MARK: - nginx

        @Test func `of thousands of orders to an nginx that closes its connections each arrives once`() async throws {
            let scene = try await TLSScene()
            let server = try await scene.server(scene.certificates.server) {
                $0.isHTTP2 = true
                $0.rules = "log_format orders '$http_x_order';"
                $0.locations = """
                    keepalive_requests 1000;
                    access_log orders.log orders;
                    location = /orders { default_type text/plain; alias orders.log; }
                    """
            }
            let client = Client(baseURL: server.baseURL) {
                $0.network.tls.standard.trust = scene.authority
                $0.options = $0.options.withoutTimeout()
                $0.limits.concurrency = RequestScheduler.Limits(total: 100, perHost: 100)
                $0.limits.responseBody = 1 << 20
            }
            let count = max(4_000, TestEffort.rounds(of: 10_000))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    if number >= 100 { try await group.next() }
                    group.addTask {
                        _ = try await client.send(
                            FixtureText("sink") {
                                $0.method = .post
                                $0.headers = ["X-Order": "\(number)"]
                                $0.body = .bytes(Data("order".utf8))
                            })
                    }
                }
                try await group.waitForAll()
            }
            let orders = try await client.send(FixtureText("orders")).split(separator: "\n").compactMap { Int($0) }
            #expect(orders.sorted() == Array(0..<count))
            await client.shutdown()
            server.stop()
        }
    }
#endif
