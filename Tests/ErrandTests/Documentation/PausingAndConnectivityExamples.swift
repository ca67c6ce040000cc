internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Pausing and connectivity".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct PausingAndConnectivityExamples {
        struct GetImage: Endpoint {
            let name: String

            var path: EndpointPath { "images/\(self.name)" }
        }

        @MainActor private final class Banner { var isHidden: Bool? }
        private struct Bar { var value = 0.0 }

        private let client: Client

        init() {
            let transport = StubTransport()
            transport.route("*", .text("image"))
            self.client = Client(baseURL: "https://api.example.com/v1/") { $0.transport = transport }
        }

        @Test func `suspends a request`() async throws {
            let request = client.request(GetImage(name: "sun"))
            await request.start()
            request.suspend()
            request.resume()
            let image = try await request.value
            #expect(image == Data("image".utf8))
        }

        @Test func `suspends many`() async throws {
            let options = RequestOptions.tag("album")
            let album = client.batch(GetImage(name: "sun"), GetImage(name: "moon"), options: options)
            try await album.start()
            await client.record.suspend(tag: "album")
            await client.record.resume(tag: "album")
            client.suspendAll()
            client.resumeAll()
            #expect(try await album.value.0 == Data("image".utf8))
        }

        @Test func `limits the bandwidth`() async throws {
            let background = BandwidthLimit(receiving: 500_000)
            let slow = RequestOptions.tag("prefetch").bandwidth(background)
            async let sun = client.send(GetImage(name: "sun"), options: slow)
            async let moon = client.send(GetImage(name: "moon"), options: slow)
            #expect(try await sun == moon)
        }

        @Test func `waits for a network`() async throws {
            let patient = Client(baseURL: "https://api.example.com/v1/") {
                $0.options = .connectivity(.wait(upTo: .seconds(300)))
            }
            #expect(await patient.record.count == 0)
        }

        @MainActor @Test func `shows whether there is a network`() async {
            let banner = Banner()
            let watching = Task {
                for await path in NetworkPath.SystemMonitor.shared.changes {
                    banner.isHidden = path.isSatisfied
                }
            }
            await fixtureUntil { banner.isHidden != nil }
            #expect(banner.isHidden == NetworkPath.SystemMonitor.shared.path.isSatisfied)
            watching.cancel()
            await watching.value
        }

        @Test func `begins anew`() async throws {
            await client.reset(removingCookies: true)
            #expect(try await client.send(GetImage(name: "sun")) == Data("image".utf8))
        }

        @Test func `shows how far a request is`() async throws {
            var bar = Bar()
            let download = client.request(GetImage(name: "star"))
            let progress = await download.progress
            await download.start()
            for await reading in progress {
                bar.value = reading.fractionCompleted ?? 0
            }
            #expect(try await download.value == Data("image".utf8))
            #expect(bar.value >= 0)
        }
    }
}
