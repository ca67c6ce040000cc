internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

/// How AFNetworking's serializers treat header fields; the ids are those of the list of what it and YTKNetwork do.
@Suite("Endpoints: AFNetworking's header fields", .timeLimit(.minutes(60)), .paced)
struct HeaderParityTests {
    private func fields(
        _ configure: (inout Client.Configuration) -> Void, _ change: (inout FixtureText) -> Void
    ) throws -> HTTPFields {
        let world = FixtureWorld {
            $0.options = $0.options.defaultHeaders(.off)
            configure(&$0)
        }
        return try world.client.httpRequest(for: FixtureText("a", change)).headers
    }

    @Test func `T52: a field that is set is read, one that is not is nothing, one that is removed is gone`() {
        var fields: HTTPFields = [:]
        #expect(fields["x-foo"] == nil)
        fields["X-Foo"] = "bar"
        #expect(fields["x-foo"] == "bar")
        fields["x-FOO"] = nil
        #expect(fields["X-Foo"] == nil)
        #expect(fields.isEmpty)
    }

    @Test func `T54: the call's fields replace the client's, which are added`() throws {
        let fields = try self.fields {
            $0.headers = ["X-Foo": "client", "X-Bar": "client"]
        } _: {
            $0.headers = ["X-Foo": "call"]
        }
        #expect(fields == ["X-Foo": "call", "X-Bar": "client"])
    }

    @Test func `a call goes without fields of the client, and without defaults`() throws {
        let defaults = DefaultHeaders(userAgent: "me", acceptLanguage: "de", sendsAccept: true)
        let fields = try self.fields {
            $0.headers = ["X-Foo": "1", "X-Bar": "2", "x-foo": "3"]
            $0.options = $0.options.defaultHeaders(defaults)
        } _: {
            $0.headers = ["X-Own": "4", "X-Bar": "5"]
            $0.options = $0.options.omittingHeaders(["x-FOO", "accept", "Accept-Language", "X-Bar", "X-Unknown"])
        }
        #expect(fields == ["X-Own": "4", "X-Bar": "5", "User-Agent": "me"])
    }

    @Test func `fields of one name stay apart`() throws {
        let fields = try self.fields {
            $0.headers = ["X-A": "1", "X-B": "x", "X-A": "2"]
        } _: {
            $0.headers = ["X-C": "a", "X-C": "b, c"]
        }
        #expect(fields.values(for: "X-A") == ["1", "2"])
        #expect(fields.values(for: "X-C") == ["a", "b, c"])
        #expect(fields.map(\.name) == ["X-C", "X-C", "X-A", "X-B", "X-A"])
    }

    @Test func `T59: basic authentication`() throws {
        let value = try HTTPCredential.basic(user: "user", password: "password").fieldValue()
        #expect(value == "Basic dXNlcjpwYXNzd29yZA==")
        let fields = try self.fields({ _ in }) {
            $0.options = $0.options.credentials(.own(.basic(user: "user", password: "password")))
        }
        #expect(fields == ["Authorization": value])
    }

    /// YTKNetwork's order: the credential of a request first, and then its fields, which may replace it.
    @Test func `a call's credential goes before the client's, and its fields before that`() async throws {
        let world = FixtureWorld {
            $0.options = $0.options.defaultHeaders(.off)
            $0.headers = ["Authorization": "client"]
            $0.credentials.origin = .bearer("client")
        }
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(FixtureText { $0.options = .credentials(.own(.bearer("call"))) })
        _ = try await world.client.send(
            FixtureText {
                $0.options = $0.options.credentials(.own(.bearer("call")))
                $0.headers = ["authorization": "own"]
            })
        #expect(world.transport.received.map { $0.headers.values(for: "Authorization") } == [["Bearer call"], ["own"]])
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(FixtureText { $0.options = .credentials(.own(.bearer("a\r\nb"))) })
        }
        #expect(error?.code == .invalidRequest)
    }
}
