internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// What YTKNetwork's tests expect of requests that are executed; the ids are those of the list of what it does.
@Suite("Endpoints: YTKNetwork's requests, over connections", .timeLimit(.minutes(60)), .paced)
struct ExecutionParityTests {
    /// Answers what was asked, as JSON.
    private func echo() throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.fallback { request in
            let body = String(decoding: request.body, as: UTF8.self)
            return .json("{\"method\":\"\(request.method)\",\"target\":\"\(request.target)\",\"body\":\"\(body)\"}")
        }
        return server
    }

    private func client(_ server: LoopbackServer) -> Client {
        Client(baseURL: server.baseURL) { $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600))) }
    }

    private struct Echo: Endpoint {
        struct Response: Decodable, Sendable, Equatable {
            let method: String
            let target: String
            let body: String
        }

        var method: HTTPMethod
        var path: EndpointPath { "\(self.method.rawValue.lowercased())" }
        var parameters: Parameters { ["key": "value"] }
    }

    @Test("T8, T60: each method succeeds", arguments: ["GET", "POST", "PATCH", "PUT", "DELETE"])
    func methods(method: String) async throws {
        let server = try self.echo()
        let echo = try await self.client(server).send(Echo(method: HTTPMethod(rawValue: method)))
        let isInURL = ["GET", "DELETE"].contains(method)
        let path = "/\(method.lowercased())"
        #expect(
            echo
                == Echo.Response(
                    method: method, target: isInURL ? "\(path)?key=value" : path, body: isInURL ? "" : "key=value"))
        server.stop()
    }

    @Test func `T9: a 404 is a failure`() async throws {
        let server = try LoopbackServer()
        let error = await #expect(throws: ErrandError.self) {
            try await self.client(server).send(FixtureText("missing"))
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.context.status == .notFound)
        server.stop()
    }

    @Test func `T10: a field of the response can be read`() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/a", .text("x", headers: ["key": "value"]))
        let response = try await self.client(server).response(for: FixtureText())
        #expect(response.head.headers["Key"] == "value")
        server.stop()
    }

    @Test func `T11: the server sees a field of the call`() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/a") { .text($0.header("Custom-Header-Field") ?? "missing") }
        let endpoint = FixtureText { $0.headers = ["Custom-Header-Field": "CustomHeaderValue"] }
        #expect(try await self.client(server).send(endpoint) == "CustomHeaderValue")
        server.stop()
    }

    @Test("T12: basic authentication", arguments: [("123", true), ("123456", false)])
    func basic(user: String, isRight: Bool) async throws {
        let server = try LoopbackServer()
        let right = "Basic " + Data("123:123".utf8).base64EncodedString()
        server.route("GET", "/a") { $0.header("Authorization") == right ? .text("in") : .status(401) }
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            $0.credentials.origin = .basic(user: user, password: "123")
        }
        let request = client.request(FixtureText())
        if isRight {
            #expect(try await request.value == "in")
        } else {
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.context.status == .unauthorized)
        }
        server.stop()
    }

    @Test("T13: a timeout of 5 s, and an answer after 3 s or 7 s", arguments: [(3, true), (7, false)])
    func timeout(delay: Int, isInTime: Bool) async throws {
        let world = FixtureWorld { $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(5))) }
        let gate = StubGate()
        world.transport.route("*", StubReply.text("x").held(by: gate))
        let request = world.client.request(FixtureText())
        await request.start()
        await fixtureUntil { gate.reachedCount == 1 }
        world.clock.advance(by: .seconds(delay))
        if isInTime {
            gate.open()
            #expect(try await request.value == "x")
        } else {
            let error = await #expect(throws: ErrandError.self) { try await request.value }
            #expect(error?.code == .timedOut)
        }
        gate.open()
        await world.expectAtRest()
    }

    @Test func `T15: a thousand requests that are cancelled at once fail once each, with their own tags`() async {
        let world = FixtureWorld()
        world.transport.route("*", StubReply.text("x").held(by: StubGate()))
        let tags = await withTaskGroup(of: String?.self) { group in
            for number in 0..<1000 {
                group.addTask { @concurrent in
                    let request = world.client.request(FixtureText(), options: .tag("\(number)"))
                    await request.start()
                    request.cancel()
                    do throws(ErrandError) {
                        _ = try await request.value
                        return nil
                    } catch {
                        return error.code == .cancelled ? request.tag : nil
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tags.count == 1000)
        #expect(Set(tags.compactMap(\.self)) == Set((0..<1000).map(String.init)))
        await world.expectAtRest()
    }

    @Test func `T16: a thousand requests that are made and cancelled one after another`() async {
        let world = FixtureWorld()
        for _ in 0..<1000 {
            let request = world.client.request(FixtureText())
            await request.start()
            request.cancel()
        }
        await fixtureUntil { await world.client.record.count == 0 }
        await world.expectAtRest()
    }
}
