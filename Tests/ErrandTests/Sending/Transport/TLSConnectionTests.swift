#if os(Linux)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite(
        "Connections over TLS: what comes when nobody asked, and how they end (G13)", .timeLimit(.minutes(60)), .paced,
        .enabled(if: TLSScene.isPossible, TLSScene.comment))
    struct TLSConnectionTests {
        private let scene: TLSScene
        private let transport: CurlTransport

        init() async throws {
            let scene = try await TLSScene()
            self.scene = scene
            self.transport = CurlTransport(settings: .with { $0.tls.standard.trust = scene.authority })
        }

        private func server(_ habits: [String]) async throws -> PythonServer {
            try await PythonScripts.connections(habits, self.scene.certificates.server, versions: "http/1.1")
        }

        private func send(
            to server: PythonServer, _ method: HTTPMethod = .get,
            into destination: ExchangeContext.BodyDestination = .memory(limit: 1000)
        ) async -> Result<Data, ErrandError> {
            do throws(ErrandError) {
                let url = try HTTPURL("https://127.0.0.1:\(server.port)/")
                let body: HTTPRequest.Body = method == .post ? .bytes(Data("order".utf8)) : .none
                let call = CurlExchangeCall(HTTPRequest(method: method, url: url, body: body), into: destination)
                return await call.outcome(over: self.transport)
            } catch {
                return .failure(error)
            }
        }

        @Test(arguments: [ExchangeContext.BodyDestination.memory(limit: 1000), .stream(buffer: 1000)])
        func `a body that ends with its connection is whole only if TLS ends before`(
            destination: ExchangeContext.BodyDestination
        ) async throws {
            let server = try await self.server(["whole", "cut", "whole", "cut"])
            for number in [1, 3] {
                let whole = await self.send(to: server, into: destination)
                #expect(try whole.get() == Data("\(number) \(number)".utf8))
                let cut = await self.send(to: server, into: destination)
                #expect(cut.fixtureFailure?.code == .connectionLost && cut.fixtureFailure?.isUnprocessed == false)
            }
            // A handle that has seen such a body serves others.
            #expect(try await self.send(to: server, into: destination).get() == Data("5 5".utf8))
            self.transport.shutdown()
            server.stop()
        }

        @Test(arguments: ["extra-in-record", "extra-in-segment"], [HTTPMethod.get, .post])
        func `a response that follows another one is not that of the next request`(
            habit: String, method: HTTPMethod
        ) async throws {
            let server = try await self.server(Array(repeating: habit, count: 3))
            for number in 1...3 {
                #expect(try await self.send(to: server, method).get() == Data("\(number) \(number)".utf8))
            }
            self.transport.shutdown()
            server.stop()
        }

        @Test func `a connection that the server has closed is in no request's way`() async throws {
            let server = try await self.server(Array(repeating: "close", count: 5))
            for number in 1...5 {
                #expect(try await self.send(to: server, .post).get() == Data("\(number) \(number)".utf8))
            }
            self.transport.shutdown()
            server.stop()
        }

        @Test(arguments: ["TLSv1.2", "TLSv1.3"]) func `tickets for sessions to come cost no connection`(
            version: String
        ) async throws {
            let server = try await self.scene.server(self.scene.certificates.server) { $0.tlsVersions = version }
            var connections: Set<String?> = []
            for _ in 0..<10 {
                let about = try #require(try await TLSScene.send(to: server.baseURL, self.transport).about)
                connections.insert(about.connection)
            }
            #expect(connections.count == 1)
            self.transport.shutdown()
            server.stop()
        }
    }
#endif
