internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Clients: changing what requests are made from", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct DefaultsUpdateTests {
    private func world() -> FixtureWorld {
        let world = FixtureWorld {
            $0.headers = ["X-A": "1"]
            $0.options = $0.options.defaultHeaders(.off)
        }
        world.transport.route("*", .text("x"))
        return world
    }

    @Test func `concerns requests that start later, and no others`() async throws {
        let world = self.world()
        let gate = StubGate()
        world.transport.removeRoutes()
        world.transport.route("*", StubReply.text("x").held(by: gate))
        let early = world.client.request(FixtureText())
        await early.start()
        let later = world.client.request(FixtureText())
        world.client.updateDefaults {
            $0.baseURLs.main = "https://new.test/v2"
            $0.baseURLs.cdn = "https://cdn.test"
            $0.baseURLs.named["images"] = "https://images.test"
            $0.headers["X-A"] = "2"
            $0.headers["X-B"] = "3"
            $0.options = $0.options.parameterEncoding(.json)
            $0.options = $0.options.networks(AllowedNetworks(cellular: false))
        }
        #expect(world.client.defaults.baseURLs.main == "https://new.test/v2")
        gate.open()
        _ = try await early.value
        _ = try await later.value
        let (first, second) = (world.transport.received[0], world.transport.received[1])
        #expect(first.url.string == "https://api.test/a")
        #expect(first.headers == ["X-A": "1"])
        #expect(first.allowedNetworks == .all)
        #expect(second.url.string == "https://new.test/v2/a")
        #expect(second.headers == ["X-A": "2", "X-B": "3"])
        #expect(second.allowedNetworks == AllowedNetworks(cellular: false))
        let cdn = try world.client.httpRequest(for: FixtureText { $0.baseURL = .cdn })
        #expect(cdn.url.string == "https://cdn.test/a")
        let images = try world.client.httpRequest(for: FixtureText { $0.baseURL = .named("images") })
        #expect(images.url.string == "https://images.test/a")
    }

    @Test func `does not take the credential along to another origin`() async throws {
        let world = FixtureWorld { $0.credentials.origin = .bearer("t") }
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText())
        world.client.updateDefaults { $0.baseURLs.main = "https://new.test" }
        _ = try await world.client.send(FixtureText())
        _ = try await world.client.send(FixtureText("https://api.test/b"))
        #expect(world.transport.received.map { $0.headers["Authorization"] } == ["Bearer t", nil, "Bearer t"])
    }

    @Test func `to what must not be sent fails later requests, until it is changed again`() async throws {
        let world = self.world()
        world.client.updateDefaults { $0.headers["X-A"] = "1\n2" }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .invalidRequest)
        world.client.updateDefaults { $0.headers["X-A"] = nil }
        _ = try await world.client.send(FixtureText())
        #expect(world.transport.received.map(\.headers) == [[:]])
    }

    @Test func `T53: very many changes at once are all made`() async throws {
        let (world, count) = (self.world(), TestEffort.rounds(of: 1_000))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { @concurrent in
                    world.client.updateDefaults {
                        $0.headers["X-A"] = "\(number)"
                        $0.headers.append(name: "X-\(number)", value: "y")
                    }
                    _ = try? world.client.httpRequest(for: FixtureText())
                }
            }
        }
        let fields = try world.client.httpRequest(for: FixtureText()).headers
        #expect(fields.values(for: "X-A").count == 1)
        #expect((0..<count).allSatisfy { fields["X-\($0)"] == "y" })
        #expect(fields.count == count + 1)
    }
}
