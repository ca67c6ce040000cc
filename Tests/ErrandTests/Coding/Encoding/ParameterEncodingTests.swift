internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Parameters: where they go", .timeLimit(.minutes(60)), .paced)
struct ParameterEncodingTests {
    private func sent(
        _ path: String = "a", _ configure: (inout FixtureText) -> Void
    ) async throws -> (target: String, type: String?, body: String?) {
        let world = FixtureWorld()
        world.transport.route("*", .text(""))
        _ = try await world.client.send(FixtureText(path, configure))
        let request = try #require(world.transport.received.first)
        let type = request.headers["Content-Type"]
        guard case .bytes(let data) = request.body else { return (request.url.requestTarget, type, nil) }
        return (request.url.requestTarget, type, String(decoding: data, as: UTF8.self))
    }

    private func failure(_ configure: (inout FixtureText) -> Void) async -> ErrandError? {
        let world = FixtureWorld()
        world.transport.route("*", .text(""))
        let error = await #expect(throws: ErrandError.self) {
            try await world.client.send(FixtureText("a", configure))
        }
        #expect(world.transport.receivedCount == 0)
        await world.expectAtRest()
        return error
    }

    @Test(
        "T60: GET, HEAD and DELETE have them in the URL, all others in a form",
        arguments: ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH", "OPTIONS", "PURGE", "delete"])
    func byMethod(method: String) async throws {
        let sent = try await self.sent {
            $0.method = HTTPMethod(rawValue: method)
            $0.parameters = ["key": "a b"]
        }
        if ["GET", "HEAD", "DELETE"].contains(method.uppercased()) {
            #expect(sent == ("/a?key=a%20b", nil, nil))
        } else {
            #expect(sent == ("/a", "application/x-www-form-urlencoded", "key=a%20b"))
        }
    }

    @Test func `T42: a GET without any leaves the URL as it is`() async throws {
        #expect(try await self.sent { $0.parameters = [:] }.target == "/a")
        #expect(try await self.sent("a?") { $0.parameters = [:] }.target == "/a?")
        #expect(try await self.sent { $0.parameters = ["empty": []] }.target == "/a")
    }

    @Test(
        "D23: they go behind the query that is there, and before the fragment",
        arguments: [
            ("a?p=1", "https://api.test/a?p=1&key=value"), ("a?", "https://api.test/a?key=value"),
            ("a#end", "https://api.test/a?key=value#end"), ("a?p=1#end", "https://api.test/a?p=1&key=value#end"),
        ])
    func existingQuery(path: String, url: String) async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text(""))
        _ = try await world.client.send(FixtureText(path) { $0.parameters = ["key": "value"] })
        #expect(world.transport.received.map(\.url.string) == [url])
    }

    @Test func `T50: a POST has a form with its content type`() async throws {
        let sent = try await self.sent {
            $0.method = .post
            $0.parameters = ["key": "value"]
        }
        #expect(sent == ("/a", "application/x-www-form-urlencoded", "key=value"))
    }

    /// AFNetworking sends a content type and an empty form with every POST that has no parameters.
    ///
    /// Here a call without content has no content type; who wants the empty form says so.
    @Test func `T51: a POST without any has an empty form only where that is said`() async throws {
        #expect(try await self.sent { $0.method = .post } == ("/a", nil, nil))
        let empty = try await self.sent {
            $0.method = .post
            $0.body = .form([:])
        }
        #expect(empty == ("/a", "application/x-www-form-urlencoded", ""))
    }

    @Test func `a call with a body of its own has them in the URL`() async throws {
        let sent = try await self.sent {
            $0.method = .post
            $0.parameters = ["key": "value"]
            $0.body = .text("x")
        }
        #expect(sent == ("/a?key=value", "text/plain; charset=utf-8", "x"))
    }

    @Test func `they go where the call wants them`() async throws {
        let url = try await self.sent {
            $0.method = .post
            $0.parameters = ["key": "value"]
            $0.options = $0.options.parameterEncoding(.url)
        }
        #expect(url == ("/a?key=value", nil, nil))
        let form = try await self.sent {
            $0.method = .delete
            $0.parameters = ["key": "value"]
            $0.options = $0.options.parameterEncoding(.form)
        }
        #expect(form == ("/a", "application/x-www-form-urlencoded", "key=value"))
        let methods = try await self.sent {
            $0.method = "SEARCH"
            $0.parameters = ["key": "value"]
            $0.options = $0.options.parameterEncoding(ParameterEncoding(urlMethods: ["Search"]))
        }
        #expect(methods == ("/a?key=value", nil, nil))
    }

    @Test func `they become what the call wants in a body, and stay a query in a URL`() async throws {
        func sent(_ method: HTTPMethod, _ encoding: ParameterEncoding) async throws -> String {
            let sent = try await self.sent {
                $0.method = method
                $0.parameters = ["b": [1, true], "a": .date(Date(timeIntervalSince1970: 0))]
                $0.options = $0.options.parameterEncoding(encoding)
            }
            return "\(sent.target) \(sent.type ?? "-") \(sent.body ?? "-")"
        }
        #expect(try await sent(.post, .json) == #"/a application/json {"a":"1970-01-01T00:00:00Z","b":[1,true]}"#)
        #expect(try await sent(.get, .json) == "/a?a=1970-01-01T00%3A00%3A00Z&b%5B%5D=1&b%5B%5D=1 - -")
        let style = ParameterEncoding(query: ParameterEncoding.QueryStyle(arrays: .commas, booleans: .words))
        #expect(
            try await sent(.post, style)
                == "/a application/x-www-form-urlencoded a=1970-01-01T00%3A00%3A00Z&b=1,true")
        #expect(try await sent(.get, style) == "/a?a=1970-01-01T00%3A00%3A00Z&b=1,true - -")
        let list = try await sent(.put, .propertyList)
        #expect(list.hasPrefix("/a application/x-plist <?xml"))
        #expect(list.contains("<integer>1</integer>"))
    }

    @Test func `the client says how, for calls that do not`() async throws {
        let world = FixtureWorld { $0.options = $0.options.parameterEncoding(.json) }
        world.transport.route("*", .text(""))
        for encoding in [nil, ParameterEncoding.form] {
            _ = try await world.client.send(
                FixtureText {
                    $0.method = .post
                    $0.parameters = ["a": 1]
                    if let encoding { $0.options = $0.options.parameterEncoding(encoding) }
                })
        }
        #expect(
            world.transport.received.map { $0.headers["Content-Type"] }
                == ["application/json", "application/x-www-form-urlencoded"])
    }

    @Test func `the call's own content type goes before that of the form`() async throws {
        let sent = try await self.sent {
            $0.method = .post
            $0.headers = ["content-type": "application/x-www-form-urlencoded; charset=utf-8"]
            $0.parameters = ["a": 1]
        }
        #expect(sent.type == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test func `parameters in the body and a body are too much`() async {
        let error = await self.failure {
            $0.method = .post
            $0.parameters = ["a": 1]
            $0.options = $0.options.parameterEncoding(.form)
            $0.body = .text("x")
        }
        #expect(error?.code == .encodingFailed)
    }

    @Test(arguments: [ParameterEncoding.standard, .url, .form, .json, .propertyList])
    func `a number that is not finite fails the call`(encoding: ParameterEncoding) async {
        for (name, method) in [("a", HTTPMethod.get), ("b", .post)] {
            let error = await self.failure {
                $0.method = method
                $0.parameters = [name: .double(.nan), "list": [nil]]
                $0.options = $0.options.parameterEncoding(encoding)
            }
            #expect(error?.code == .encodingFailed)
        }
    }

    /// Parameters that have to be computed.
    private struct Computed: Endpoint {
        typealias Response = String
        let value: Double
        var path: EndpointPath { "a" }
        var parameters: Parameters {
            get throws {
                guard self.value > 0 else { throw FixtureError() }
                return try Parameters(encoding: ["value": self.value])
            }
        }
    }

    @Test func `parameters may throw, which fails the call`() async throws {
        let world = FixtureWorld()
        world.transport.route("*", .text(""))
        _ = try await world.client.send(Computed(value: 2))
        #expect(world.transport.received.map(\.url.requestTarget) == ["/a?value=2"])
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(Computed(value: -1)) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.cause is FixtureError)
        #expect(world.transport.receivedCount == 1)
    }
}
