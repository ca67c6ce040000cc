internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// What an app writes whose modules are isolated to the main actor, as those of new apps are.
@Suite("A module whose default isolation is the main actor (G11)", .timeLimit(.minutes(60)), .paced)
struct MainActorTests {
    @Test func `a call is sent, and its value is shown by a model`() async {
        let profile = Profile(client: makeClient())
        await profile.load("1")
        #expect(profile.user?.nick == "Ann")
        await profile.load("3")
        #expect(profile.problem != nil)
    }

    @Test func `a response may be a type of the endpoint, one for several, data, or none that is Decodable`()
        async throws
    {
        let client = makeClient()
        #expect(try await client.send(PostComment(text: "Hello")).number == 7)
        #expect(try await client.send(UserCall.second).nick == "Ben")
        #expect(try await client.send(GetAvatar(name: "ann")) == Data("picture".utf8))
        #expect(try await client.send(CountBytes()) == CountBytes.Count(bytes: 7))
    }

    @Test func `a protocol of the app has defaults for its endpoints`() async throws {
        let client = makeClient()
        let request = try client.httpRequest(for: GetVersionedUser(id: "1"))
        #expect(request.headers["API-Version"] == "3")
        #expect(try await client.send(GetVersionedUser(id: "1")).nick == "Ann")
    }

    @Test func `a batch has the values of all`() async throws {
        let client = makeClient()
        let (user, avatar) = try await client.batch(GetUser(id: "1"), GetAvatar(name: "ann")).value
        #expect(user.avatar == "ann")
        #expect(avatar == Data("picture".utf8))
        let users = try await client.batch(of: ["1", "2"].map(GetUser.init)).value
        #expect(users.map(\.nick) == ["Ann", "Ben"])
    }

    @Test func `a chain makes each call of the value before, and tells an object of the main actor`() async throws {
        let client = makeClient()
        let list = ActivityList()
        let avatar = try await client.chain(GetUser(id: "2"))
            .then { user in
                await list.add(user.nick)
                return GetAvatar(name: user.avatar)
            }
            .value
        #expect(avatar == Data("picture".utf8))
        #expect(list.names == ["Ben"])
    }

    @Test func `closures run on the main actor and change what is there`() async throws {
        let client = makeClient()
        let list = ActivityList()
        let request = client.request(GetUser(id: "1"))
        await withCheckedContinuation { continuation in
            request.start { user in
                list.add(user.nick)
                continuation.resume()
            } onFailure: { error in
                list.add(error.message)
                continuation.resume()
            }
        }
        #expect(list.names == ["Ann"])
    }

    @Test func `accessories have state of their own, or tell an object of the main actor`() async throws {
        let list = ActivityList()
        let counter = EventCounter()
        let client = makeClient(ListingAccessory(list: list), counter)
        _ = try await client.send(GetUser(id: "1"))
        #expect(list.names == ["GetUser"])
        #expect(counter.events > 0)
    }

    @Test func `values come one by one as they are there`() async throws {
        let client = makeClient()
        var nicks: [String] = []
        for await outcome in client.outcomes(of: ["1", "2"].map(GetUser.init), width: 1) {
            if case .success(let user) = outcome.result { nicks.append(user.nick) }
        }
        #expect(nicks == ["Ann", "Ben"])
    }
}
