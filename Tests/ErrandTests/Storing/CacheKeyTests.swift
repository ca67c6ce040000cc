internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Caching: which requests are the same", .timeLimit(.minutes(60)), .paced)
struct CacheKeyTests {
    private func key(
        _ url: String = "https://api.test/a", method: HTTPMethod = .get, headers: HTTPFields = [:],
        body: HTTPRequest.Body = .none, fields: CachePolicy.Fields = .standard, redirects: RedirectPolicy = .follow(),
        secretHeaders: [String] = [], isScoped: Bool = false, partition: String = ""
    ) throws -> CacheKey? {
        CacheKey(
            HTTPRequest(method: method, url: try HTTPURL(url), headers: headers, body: body), fields: fields,
            redirects: redirects, secretHeaders: secretHeaders, isScoped: isScoped, partition: partition)
    }

    @Test func `those that differ in anything that counts are not`() throws {
        let keys = try [
            self.key(), self.key("https://api.test/b"), self.key("https://api.test/a?b"),
            self.key("https://api.test/a?b="),
            self.key("http://api.test/a"), self.key("https://api.test:444/a"), self.key("https://api.test/A"),
            self.key(method: .post), self.key(method: .post, body: .bytes(Data("a".utf8))),
            self.key(method: .post, body: .bytes(Data("b".utf8))), self.key(headers: ["Accept": "a"]),
            self.key(headers: ["Accept": "b"]), self.key(headers: ["Accept-Language": "a"]),
            self.key(headers: ["Authorization": "Basic a"]), self.key(headers: ["Authorization": "Basic b"]),
            self.key(headers: ["Cookie": "a=1"]), self.key(headers: ["X-A": "1", "X-A": "2"]),
            self.key(headers: ["X-A": "2", "X-A": "1"]), self.key(headers: ["X-A": "1, 2"]),
            self.key(headers: ["X-A": "1"]), self.key(headers: ["X-A": "", "X-B": ""]), self.key(headers: ["X-A": ""]),
            self.key(redirects: .never), self.key(redirects: .follow(allowsInsecure: true)),
            self.key(partition: "a"), self.key(partition: "b"), self.key(partition: "GET "),
        ].compactMap(\.self)
        #expect(keys.count == 27)
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys.map(\.name)).count == keys.count)
    }

    @Test func `those that differ in nothing that counts are`() throws {
        let one = try self.key(headers: ["Accept": "a", "X-A": "1"])
        #expect(try self.key("HTTPS://API.test:443/a#b", headers: ["x-a": "1", "ACCEPT": "a"]) == one)
        let idle: HTTPFields = [
            "User-Agent": "x", "X-Request-ID": "7", "traceparent": "00-1-2-01", "Accept": "a", "X-A": "1",
            "Cache-Control": "no-cache",
        ]
        #expect(try self.key(headers: idle) == one)
        #expect(try self.key(headers: idle)?.name == one?.name)
    }

    @Test func `the fields that count can be chosen`() throws {
        let fields: HTTPFields = ["X-A": "1", "X-Time": "2", "User-Agent": "b"]
        #expect(
            try self.key(headers: fields, fields: .standard(without: "x-time")) == self.key(headers: ["X-A": "1"]))
        #expect(
            try self.key(headers: fields, fields: .only("user-agent"))
                == self.key(headers: ["User-Agent": "b", "Accept": "c"], fields: .only("User-Agent")))
        #expect(try self.key(headers: fields, fields: .only()) == self.key(fields: .only()))
    }

    @Test func `without a scope those that say who asks count whatever is chosen`() throws {
        for name in ["Authorization", "proxy-authorization", "Cookie", "X-Own"] {
            let (ann, bob) = (
                HTTPFields([HTTPField(name: name, value: "a")]), HTTPFields([HTTPField(name: name, value: "b")])
            )
            func key(_ headers: HTTPFields, isScoped: Bool) throws -> CacheKey? {
                try self.key(headers: headers, fields: .only("Accept"), secretHeaders: ["x-own"], isScoped: isScoped)
            }
            #expect(try key(ann, isScoped: false) != key(bob, isScoped: false))
            #expect(try key(ann, isScoped: true) == key(bob, isScoped: true))
        }
    }

    @Test func `a value cannot pretend to be another field`() throws {
        let two = try self.key(headers: ["A": "1", "B": "2"])
        // As it would be with all lengths, without any, and without those of names or of values.
        let fields = ["1\n1:b:1:2", "1\nb:2", "1\nb:1:2", "1\n1:b:2"].map { HTTPField(name: "A", value: $0) }
        let names = ["a:1:1\n1:b", "a:1\nb", "a:1:1\nb", "a:1\n1:b"].map { HTTPField(name: $0, value: "2") }
        for field in fields + names {
            #expect(try self.key(headers: HTTPFields([field])) != two)
        }
    }

    @Test func `values that only look alike differ`() throws {
        // Equal as texts, and other bytes on the wire.
        let (one, other) = ("\u{E9}", "e\u{301}")
        #expect(one == other)
        let keys = try [one, other].map { try self.key(headers: ["X-A": $0]) }
        #expect(keys[0] != keys[1])
        #expect(keys[0]?.name != keys[1]?.name)
    }

    @Test func `secrets are in no key`() throws {
        let key = try #require(
            try self.key(
                headers: ["Authorization": "Bearer s3cret", "Cookie": "s3cret", "X-Own": "s3cret"],
                secretHeaders: ["x-own"]))
        var text = ""
        dump(key, to: &text)
        #expect(!text.contains("s3cret"))
        let scope = CacheEntry.Scope("s3cret")
        text = ""
        dump(scope, to: &text)
        #expect(!text.contains("s3cret"))
        #expect(scope.matches("s3cret") && !scope.matches("secret"))
        #expect(CacheEntry.Scope("s3cret") != scope)
    }

    @Test func `there is none where no answer can be stored`() throws {
        #expect(try self.key(method: .head) == nil)
        #expect(try self.key(headers: ["range": "bytes=0-"]) == nil)
        #expect(try self.key(body: .file(URL(filePath: "/x"))) == nil)
    }

    @Test func `parameters that make no difference can be left out`() async throws {
        let scene = CacheScene()
        func call(_ id: Int, at time: Int) -> FixtureText {
            CacheScene.fresh {
                $0.parameters = ["id": .int(id), "time": .int(time)]
                $0.options = $0.options.cacheParameters(["id": .int(id)])
            }
        }
        #expect(try await scene.send(call(1, at: 1)) == ("1", false))
        #expect(try await scene.send(call(1, at: 2)) == ("1", true))
        #expect(try await scene.send(call(2, at: 2)) == ("2", false))
        #expect(scene.world.transport.received.map(\.url.query) == ["id=1&time=1", "id=2&time=2"])
        #expect(await scene.client.cache.contains(call(2, at: 7)))
    }
}
