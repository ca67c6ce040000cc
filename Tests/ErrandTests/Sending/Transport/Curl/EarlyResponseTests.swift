#if os(Linux)
    internal import Errand
    internal import ErrandLocks
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// RFC 9113 §8.1: a server may end its response before it has the request, and reset the stream with NO_ERROR.
    @Suite(
        "A response over HTTP/2 that ends before its request", .timeLimit(.minutes(60)), .paced,
        .enabled("ERRAND_PROGRAMS is not 1, or libcurl, openssl or python3 is not installed") {
            guard TLSScene.isPossible else { return false }
            return await PythonScripts.canServe()
        })
    struct EarlyResponseTests {
        private static func exchange(
            _ scene: TLSScene, _ method: HTTPMethod, _ status: Int, inOneRecord: Bool, hasLength: Bool = true,
            size: Int = 100_000
        ) async throws -> Result<HTTPResponse, ErrandError> {
            let server = try await PythonScripts.early(
                status, inOneRecord: inOneRecord, hasLength: hasLength, scene.certificates.server)
            defer { server.stop() }
            var settings = TransportSettings()
            settings.tls.standard.trust = scene.authority
            settings.proxy = .none
            let transport = CurlTransport(settings: settings)
            defer { transport.shutdown() }
            let request = HTTPRequest(
                method: method, url: try HTTPURL("https://127.0.0.1:\(server.port)/"), body: .bytes(Data(count: size)))
            do throws(ErrandError) {
                return .success(
                    try await transport.exchange(
                        request,
                        ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 1 << 20))))
            } catch {
                return .failure(error)
            }
        }

        @Test func `a refusal is delivered, with its fields and its body`() async throws {
            let scene = try await TLSScene()
            for (status, inOneRecord, size) in [(401, true, 100_000), (413, true, 3_000_000), (413, false, 100_000)] {
                let response = try await Self.exchange(scene, .post, status, inOneRecord: inOneRecord, size: size).get()
                #expect(response.status.rawValue == status)
                #expect(response.headers["WWW-Authenticate"] == "Bearer realm=early")
                #expect(response.data == Data("early".utf8))
            }
            withExtendedLifetime(scene) {}
        }

        @Test func `where a response is lost, only a request with an idempotent method is sent again`() async throws {
            let scene = try await TLSScene()
            for hasLength in [true, false] {
                let put = try await Self.exchange(scene, .put, 200, inOneRecord: true, hasLength: hasLength).get()
                #expect(put.status == .ok)
                #expect(put.data == Data("early".utf8))
                switch try await Self.exchange(scene, .post, 200, inOneRecord: true, hasLength: hasLength) {
                case .failure(let error):
                    #expect(error.code == .connectionLost)
                    #expect(error.message.contains("the status 200"), "\(error)")
                // A later libcurl loses nothing.
                case .success(let response): #expect(response.headers["X-Requests"] == "1")
                }
            }
            withExtendedLifetime(scene) {}
        }

        @Test(arguments: [1, 8], [true, false])
        func `a token that is refused early is renewed once, and each request is accepted once with the new one`(
            count: Int, inOneRecord: Bool
        ) async throws {
            let scene = try await TLSScene()
            let server = try await PythonScripts.early(
                401, inOneRecord: inOneRecord, accepting: "new~~~~~~", scene.certificates.server)
            defer { server.stop() }
            let transport = CurlTransport(
                settings: .with {
                    $0.tls.standard.trust = scene.authority
                    $0.proxy = .none
                })
            defer { transport.shutdown() }
            let renewed = Locked<[String?]>([])
            let client = Client(baseURL: "https://127.0.0.1:\(server.port)/") {
                $0.transport = transport
                $0.credentials.authenticator = TokenAuthenticator(
                    store: TokenAuthenticator.MemoryStore(OAuthToken(accessToken: "old~~~~~~"))
                ) { token in
                    renewed.withLock { $0.append(token?.accessToken) }
                    return OAuthToken(accessToken: "new~~~~~~")
                }
                $0.limits.concurrency = RequestScheduler.Limits(total: 64, perHost: 64)
            }
            let upload = FixtureText {
                $0.method = .post
                $0.body = .bytes(Data(count: 100_000))
            }
            try await withThrowingTaskGroup(of: TypedResponse<String>.self) { group in
                for _ in 0..<count { group.addTask { try await client.response(for: upload) } }
                var accepted: [String] = []
                for try await response in group {
                    #expect(response.value == "early")
                    #expect(response.head.headers["X-Size"] == "100000")
                    accepted.append(response.head.headers["X-Accepted"] ?? "none")
                }
                #expect(accepted.sorted() == (1...count).map { "\($0)" })
            }
            #expect(renewed.withLock { $0 } == ["old~~~~~~"])
            await client.shutdown()
            withExtendedLifetime(scene) {}
        }
    }
#endif
