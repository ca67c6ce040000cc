#if os(Linux)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite(
        "HTTP/2 with libcurl: cancelling single streams", .timeLimit(.minutes(60)), .paced,
        .enabled(if: TLSScene.isPossible, TLSScene.comment))
    struct CancellingHTTP2Tests {
        private static let size = 4_000_000

        /// A server, a transport that trusts it, and the connection between them.
        private struct Scene {
            let server: NginxServer
            let large: String
            let transport: CurlTransport
            let connection: String

            init() async throws {
                let scene = try await TLSScene()
                self.server = try await scene.server(scene.certificates.server) { $0.isHTTP2 = true }
                self.large = self.server.baseURL + (try self.server.addFile("large", size: UInt64(size)))
                var settings = TransportSettings()
                settings.tls.standard.trust = scene.authority
                self.transport = CurlTransport(settings: settings)
                let about = try await TLSScene.send(to: self.server.baseURL, self.transport).about
                self.connection = try #require(about?.connection)
                #expect(about?.httpVersion == "HTTP/2.0")
            }

            func exchange(_ destination: ExchangeContext.BodyDestination) async throws(ErrandError) -> HTTPResponse {
                try await self.transport.exchange(
                    HTTPRequest(url: HTTPURL(self.large)),
                    ExchangeContext(requestID: .next(), attempt: 1, destination: destination))
            }

            /// Checks that nothing is under way, and that the next request is answered.
            ///
            /// On the same connection, or on one more: libcurl gives a connection up, once the others on it are done,
            /// when a stream was broken off in the middle of a frame.
            func expectRest() async throws {
                #expect(await self.transport.ledger()?.active == 0)
                let about = try await TLSScene.send(to: self.server.baseURL, self.transport).about
                let next = Int(self.connection).map { String($0 + 1) }
                #expect(about?.connection == self.connection || about?.connection == next, "\(about as Any)")
                #expect(about?.httpVersion == "HTTP/2.0")
            }
        }

        private static func expectWhole(_ response: HTTPResponse, size: Int = Self.size) async throws {
            var count = 0
            for try await chunk in try Self.stream(of: response) { count += chunk.count }
            #expect(count == size)
        }

        private static func stream(of response: HTTPResponse) throws -> BodyStream {
            guard case .stream(let stream) = response.body else {
                throw ErrandError(.transportFailed, "the body is \(response.body)")
            }
            return stream
        }

        @Test func `streams that are dropped halfway leave the others alone`() async throws {
            let scene = try await Scene()
            var responses: [HTTPResponse] = []
            for _ in 0..<12 { responses.append(try await scene.exchange(.stream(buffer: 64 << 10))) }
            #expect(Set(responses.map { $0.headers["X-Connection"] }) == [scene.connection])
            // All wait for their readers now; two thirds get none.
            var kept: [HTTPResponse] = []
            for number in 0..<12 {
                let response = responses.removeFirst()
                if number.isMultiple(of: 3) { kept.append(response) }
            }
            for response in kept { try await Self.expectWhole(response) }
            kept = []
            try await scene.expectRest()
        }

        /// Before 8.1 libcurl keeps what it held back of the stream, and gives it to the next exchange on that handle.
        @Test func `nothing of a stream that is dropped comes to the next one`() async throws {
            let scene = try await Scene()
            let small = scene.server.baseURL + (try scene.server.addFile("small", size: 300_000))
            let other = try await scene.exchange(.stream(buffer: 64 << 10))
            for _ in 0..<10 {
                do {
                    let dropped = try await scene.exchange(.stream(buffer: 1000))
                    var reader = try Self.stream(of: dropped).makeAsyncIterator()
                    _ = try await reader.next()
                }
                while await scene.transport.ledger()?.active != 1 { await Task.yield() }
                let next = try await scene.transport.exchange(
                    HTTPRequest(url: HTTPURL(small)),
                    ExchangeContext(requestID: .next(), attempt: 1, destination: .stream(buffer: 1000)))
                try await Self.expectWhole(next, size: 300_000)
            }
            try await Self.expectWhole(other)
            try await scene.expectRest()
        }

        @Test func `an upload that is cancelled leaves the others alone`() async throws {
            let scene = try await Scene()
            let response = try await scene.exchange(.stream(buffer: 64 << 10))
            let waits = Waiter<Void>()
            let content = BodyStream {
                var isFirst = true
                return { () async throws(ErrandError) -> Data? in
                    defer { isFirst = false }
                    if isFirst { return Data(repeating: 1, count: 100_000) }
                    waits.resume(())
                    _ = await Waiter<Void>().wait()
                    throw .cancelled()
                }
            }
            let url = try HTTPURL(scene.server.baseURL + "uploads/broken")
            let code = await withTaskGroup(of: ErrandError.Code?.self) { group in
                group.addTask {
                    do throws(ErrandError) {
                        _ = try await scene.transport.exchange(
                            HTTPRequest(method: .put, url: url, body: .stream(content, length: nil)),
                            ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 1000)))
                        return nil
                    } catch {
                        return error.code
                    }
                }
                _ = await waits.wait()
                group.cancelAll()
                return await group.next() ?? nil
            }
            #expect(code == .cancelled)
            try await Self.expectWhole(response)
            try await scene.expectRest()
            #expect(!FileManager.default.fileExists(atPath: scene.server.upload("broken").path))
        }

        @Test(arguments: 1...4)
        func `cancels at any moment leave the others alone`(_ seed: UInt64) async throws {
            let scene = try await Scene()
            let counts = await withTaskGroup(of: (whole: Int, cancelled: Int).self) { group in
                for lane in 0..<8 {
                    group.addTask { await Self.lane(scene, SplitMix64(seed: seed << 8 | UInt64(lane))) }
                }
                return await group.reduce((0, 0)) { ($0.0 + $1.whole, $0.1 + $1.cancelled) }
            }
            #expect(counts.0 + counts.1 == 8 * 25)
            #expect(counts.0 >= 8 * 5 && counts.1 >= 8, "\(counts)")
            #expect(await scene.transport.ledger()?.active == 0)
        }

        /// Performs exchanges of which it cancels some; the others have to be right.
        private static func lane(_ scene: Scene, _ random: SplitMix64) async -> (whole: Int, cancelled: Int) {
            var (random, whole, cancelled) = (random, 0, 0)
            for number in 0..<25 {
                // Of five one is left alone, and one is cancelled before anything could come.
                let patience = number % 5 == 0 ? nil : number % 5 == 1 ? 0 : random.next(below: 300)
                let outcome = await withTaskGroup(of: Result<HTTPResponse, ErrandError>.self) { group in
                    group.addTask {
                        do throws(ErrandError) {
                            return .success(try await scene.exchange(.memory(limit: Self.size)))
                        } catch {
                            return .failure(error)
                        }
                    }
                    if let patience {
                        for _ in 0..<patience { await Task.yield() }
                        group.cancelAll()
                    }
                    return await group.next() ?? .failure(.cancelled())
                }
                switch outcome {
                case .success(let response):
                    whole += 1
                    #expect(response.data.count == Self.size)
                case .failure(let error):
                    cancelled += 1
                    #expect(patience != nil && error.code == .cancelled, "\(error)")
                }
            }
            return (whole, cancelled)
        }
    }
#endif
