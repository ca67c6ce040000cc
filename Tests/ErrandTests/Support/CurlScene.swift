internal import Errand
internal import ErrandTesting
internal import Foundation
internal import Testing

#if os(Linux)
    /// A server and a folder, and a check that nothing else is left when all is over.
    ///
    /// Meant for a process of its own: what others in the same process open and close would be counted too.
    struct CurlScene: Sendable {
        let server: LoopbackServer
        let folder: URL

        /// A body that does not fit into one receive buffer.
        static let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 8) })

        /// Runs something, and checks that descriptors and threads are as many as before, and that no part of a file is
        /// left.
        static func leavingNothing(_ body: (CurlScene) async throws -> Void) async throws {
            var options = LoopbackOptions()
            (options.recordLimit, options.keepsBodies) = (0, false)
            let scene = CurlScene(
                server: try LoopbackServer(routes: Self.routes, options: options),
                folder: FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)"))
            try FileManager.default.createDirectory(at: scene.folder, withIntermediateDirectories: true)
            defer {
                scene.server.stop()
                try? FileManager.default.removeItem(at: scene.folder)
            }
            // What is made once for the process is there before anything is counted.
            try await scene.withClient { client in
                _ = try await client.send(CurlCall("/text/warm"))
                // Nothing left is worth something only where what is there is seen.
                #expect(ProcessFootprint.now.threads.count == 1)
            }
            let server = scene.server
            await fixtureUntil { server.openConnections == 0 }
            let before = ProcessFootprint.now
            try await body(scene)
            let after = await ProcessFootprint.settled(at: before)
            #expect(before.covers(after), "before: \(before)\nafter: \(after)")
            // A file that was being opened for who was cancelled goes as soon as it is open.
            await fixtureUntil {
                let files = try? FileManager.default.contentsOfDirectory(atPath: scene.folder.path)
                return files?.contains { $0.hasSuffix(".part") } == false
            }
        }

        private static var routes: [LoopbackRoute] {
            [
                LoopbackRoute("*", "/text/*") { .text($0.path) },
                LoopbackRoute("*", "/large/*") { _ in .data(Self.large) },
                LoopbackRoute("*", "/chunked/*") { _ in .chunked([Self.large, Self.large]) },
                LoopbackRoute("*", "/stall/head/*") { _ in .stall },
                LoopbackRoute("*", "/stall/body/*") { _ in .stallInBody(after: 70_000, of: Self.large) },
                LoopbackRoute("*", "/reset/*") { _ in .resetInBody(after: 1000, of: Self.large) },
                LoopbackRoute("*", "/size") { .text("\($0.body.count)") },
            ]
        }

        /// Runs something with a client over libcurl, and shuts that down.
        func withClient(_ body: (Client) async throws -> Void) async throws {
            let client = self.client()
            try await body(client)
            await client.shutdown()
        }

        /// A client over libcurl, which its transport ends with.
        func client() -> Client {
            Client(baseURL: self.server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
                $0.limits.concurrency = RequestScheduler.Limits(total: 48, perHost: 48)
            }
        }

        /// Checks that nothing is in flight, and nothing waits.
        static func expectNothingInFlight(_ client: Client) async {
            for await count in await client.record.counts where count == 0 { break }
            await fixtureUntil { await client.scheduler.activeCount + client.scheduler.waitingCount == 0 }
        }
    }

    /// A call whose body is read as a text, whatever it is.
    struct CurlCall: Endpoint {
        typealias Response = Int
        let path: EndpointPath
        var method = HTTPMethod.get
        var body = RequestBody.none

        init(_ path: String) {
            self.path = EndpointPath(uncheckedReference: path)
        }

        func decode(_ response: HTTPResponse) throws -> Int { response.data.count }
    }
#endif
