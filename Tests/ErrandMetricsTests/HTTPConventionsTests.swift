internal import Errand
internal import ErrandMetrics
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// The published model: OpenTelemetry's semantic conventions 1.44.0, `model/http/metrics.yaml` and `common.yaml`.
@Suite("Metrics: OpenTelemetry's conventions for HTTP clients", .timeLimit(.minutes(60)), .paced)
struct HTTPConventionsTests {
    /// The attributes of `http.client.request.duration`, and when each is there.
    private static let attributes = [
        "http.request.method": "required", "server.address": "required", "server.port": "required",
        "error.type": "if the request has ended with an error", "http.response.status_code": "if one was received",
        "network.protocol.name": "if it is not http", "network.protocol.version": "recommended",
        "url.scheme": "opt-in", "url.template": "opt-in",
    ]
    private static let required: [MetricLabel: String] = [.method: "GET", .address: "api.test", .port: "443"]

    private func series(_ world: MetricsWorld) async throws -> [[MetricLabel: String]] {
        try #require(await world.metrics.snapshot().family(.attemptDuration)?.series).map(\.labels)
    }

    private func with(_ labels: [MetricLabel: String], _ changes: [MetricLabel: String] = [:]) -> [MetricLabel: String]
    {
        Self.required.merging(labels) { $1 }.merging(changes) { $1 }
    }

    @Test func `names, units and bounds are those of the model`() async throws {
        #expect(MetricName.attemptDuration.rawValue == "http.client.request.duration")
        #expect(MetricName.requestBodySize.rawValue == "http.client.request.body.size")
        #expect(MetricName.responseBodySize.rawValue == "http.client.response.body.size")
        #expect(MetricName.activeRequests.rawValue == "http.client.active_requests")
        let labels: [MetricLabel] = [
            .method, .address, .port, .error, .status, .protocolVersion, .scheme, .template,
        ]
        #expect(Set(labels.map(\.rawValue)).union(["network.protocol.name"]) == Set(Self.attributes.keys))
        #expect(
            MetricsOptions().durationBounds == [
                0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
            ])
        let world = try MetricsWorld()
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(TextCall())
        let family = try #require(await world.metrics.snapshot().family(.attemptDuration))
        #expect((family.kind, family.unit.ucum) == (.histogram, "s"))
        #expect(await world.metrics.text().contains("http_client_request_duration_seconds_count{http_request_method="))
    }

    @Test func `the known methods are those of the model, and can be others`() async throws {
        let known = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"]
        #expect(Set(MetricsOptions().knownMethods.map(\.rawValue)) == Set(known))
        for (others, label) in [([], "_OTHER"), ([HTTPMethod(rawValue: "PURGE")], "PURGE")] {
            let world = try MetricsWorld { if !others.isEmpty { $0.knownMethods = Set(others) } }
            world.transport.route("*", .text("x"))
            _ = try await world.client.send(TextCall { $0.method = HTTPMethod(rawValue: "PURGE") })
            #expect(try await self.series(world) == [self.with([.method: label, .status: "200"])])
        }
    }

    @Test func `each attempt is counted with its own outcome`() async throws {
        let retries = RetryPolicy(limit: 3, backoff: Backoff(base: .zero))
        let world = try MetricsWorld({ _ in }, { $0.options = $0.options.retries(retries) })
        world.transport.route(
            "*", .failure(.connectionLost), .text("later", status: 503).delayed(by: .seconds(2), on: world.clock),
            .text("x"))
        let task = Task { try await world.client.send(TextCall()) }
        while !Task.isCancelled, await world.metrics.snapshot().finishedRequests == 0 {
            world.clock.advance(by: .seconds(1))
            await Task.yield()
        }
        _ = try await task.value
        #expect(
            Set(try await self.series(world)) == [
                self.with([.error: "connectionLost"]), self.with([.status: "503", .error: "503"]),
                self.with([.status: "200"]),
            ])
        let snapshot = await world.metrics.snapshot()
        #expect(snapshot.histogram(.attemptDuration, where: [.status: "503"])?.sum ?? 0 >= 2)
        // The clock may move on while the last attempt is in flight.
        #expect(snapshot.histogram(.attemptDuration, where: [.status: "200"])?.count == 1)
        #expect(snapshot.histogram(.requestDuration)?.count == 1)
        await world.expectAtRest()
    }

    @Test func `a redirection is an attempt at another server`() async throws {
        let world = try MetricsWorld {
            $0.labels.insert(.scheme)
            $0.urlTemplate = { _ in "/{name}" }
        }
        world.transport.route("/a", .status(302, headers: ["Location": "http://[::1]:8080/b"]))
        world.transport.route("/b", .text("x"))
        _ = try await world.client.send(TextCall(), options: .redirects(.follow(allowsInsecure: true)))
        #expect(
            Set(try await self.series(world)) == [
                self.with([.status: "302", .scheme: "https", .template: "/{name}"]),
                [.method: "GET", .address: "::1", .port: "8080", .status: "200", .scheme: "http"],
            ])
    }

    @Test func `a response that the app does not accept is no error of the attempt`() async throws {
        let world = try MetricsWorld()
        world.transport.route("/gone", .text("gone", status: 410))
        world.transport.route("*", .data(Data([0xFF]), headers: ["Content-Type": "image/png"]))
        _ = try? await world.client.send(TextCall("gone"))
        _ = try? await world.client.send(
            TextCall { $0.options = $0.options.caching(.fresh(for: .seconds(60))) })
        #expect(
            Set(try await self.series(world)) == [
                self.with([.status: "410", .error: "410"]), self.with([.status: "200"]),
            ])
    }

    @Test func `an attempt that is stopped has the code of its error`() async throws {
        let world = try MetricsWorld()
        let gate = StubGate()
        world.transport.route("*", .text("x").held(by: gate))
        let request = world.client.request(TextCall())
        await request.start()
        await gate.waitUntilReached()
        request.cancel()
        _ = try? await request.value
        #expect(try await self.series(world) == [self.with([.error: "cancelled"])])
        await world.expectAtRest()
    }

    /// Starts a request, and its first attempt.
    private func firstAttempt() throws -> (MetricsAccessory, RequestActivity) {
        let metrics = MetricsAccessory()
        let activity = RequestActivity(
            id: .next(), kind: .request, type: TextCall.self,
            request: HTTPRequest(url: try HTTPURL("https://api.test/a")))
        metrics.willStart(activity)
        metrics.observe(.attemptStarted(1), of: activity)
        return (metrics, activity)
    }

    @Test func `a hedge is an attempt of its own`() async throws {
        let (metrics, activity) = try self.firstAttempt()
        metrics.observe(.hedged(after: .seconds(1)), of: activity)
        metrics.observe(.attemptStarted(2), of: activity)
        metrics.observe(.responseHead(HTTPResponse.Head(status: 200)), of: activity)
        metrics.observe(.attemptFailed(1, .cancelled()), of: activity)
        metrics.didStop(activity, .made(attempts: 2))
        let series = try #require(await metrics.snapshot().family(.attemptDuration)?.series)
        #expect(Set(series.map(\.labels)) == [self.with([.error: "cancelled"]), self.with([.status: "200"])])
    }

    @Test func `the parts of a download in segments are attempts that overlap`() async throws {
        let (metrics, activity) = try self.firstAttempt()
        metrics.observe(.responseHead(HTTPResponse.Head(status: 206)), of: activity)
        for number in 2...4 { metrics.observe(.attemptStarted(number), of: activity) }
        metrics.observe(.attemptFailed(1, ErrandError(.connectionLost, "")), of: activity)
        metrics.didStop(activity, .made(attempts: 4))
        let snapshot = await metrics.snapshot()
        #expect(snapshot.histogram(.attemptDuration)?.count == 4)
        #expect(snapshot.histogram(.attemptDuration, where: [.error: "connectionLost"])?.count == 1)
        #expect(snapshot.histogram(.attemptDuration, where: [.status: "206"])?.count == 1)
    }

    @Test func `a hedge is counted beside an attempt that was sent again`() async throws {
        let (metrics, activity) = try self.firstAttempt()
        metrics.observe(.hedged(after: .seconds(1)), of: activity)
        metrics.observe(.attemptStarted(2), of: activity)
        metrics.observe(.responseHead(HTTPResponse.Head(status: 503)), of: activity)
        metrics.observe(.attemptStarted(3), of: activity)
        metrics.observe(.responseHead(HTTPResponse.Head(status: 200)), of: activity)
        metrics.didStop(activity, .made(attempts: 3))
        #expect(await metrics.snapshot().histogram(.attemptDuration)?.count == 3)
    }

    @Test func `a real transport knows the version`() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("*", "/*") { _ in .text("x") }
        let metrics = MetricsAccessory()
        let client = Client(baseURL: server.baseURL) { $0.accessories = [metrics] }
        _ = try await client.send(TextCall())
        await client.shutdown()
        let series = try #require(await metrics.snapshot().family(.attemptDuration)?.series)
        #expect(
            series.map(\.labels) == [
                [
                    .method: "GET", .address: "127.0.0.1", .port: "\(server.port)", .status: "200",
                    .protocolVersion: "1.1",
                ]
            ])
        guard case .histogram(let histogram)? = series.first?.value else { return #expect(Bool(false)) }
        #expect(histogram.sum > 0)
    }
}
