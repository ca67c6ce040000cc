internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("What a request is for (RFC 9110 §7.1)", .timeLimit(.minutes(60)), .paced)
struct HTTPRequestTargetTests {
    private static func target(_ url: String, _ host: String?) throws -> String {
        HTTPRequest(url: try HTTPURL(url), headers: host.map { ["host": $0] } ?? [:]).target.string
    }

    @Test(
        arguments: [
            (nil, "https://a.test/x?y"), ("a.test", "https://a.test/x?y"), ("A.TEST:443", "https://a.test/x?y"),
            ("", "https://a.test/x?y"), ("b.test", "https://b.test/x?y"), ("a.test:8443", "https://a.test:8443/x?y"),
            ("[::1]", "https://[::1]/x?y"),
        ] as [(String?, String)])
    func `a Host field names another resource than the URL`(host: String?, target: String) throws {
        #expect(try Self.target("https://a.test/x?y", host) == target)
    }

    @Test func `a Host field that no URL has names one that no other field does`() throws {
        let hosts = ["a b", "b.test/x", "b.test?", "u@b.test", "a.test, b.test", "ä.test", "b.test:x", "b.test#"]
        let targets = try hosts.map { try Self.target("https://a.test/x", $0) }
        #expect(Set(targets).count == hosts.count)
        #expect(targets.allSatisfy { $0.hasSuffix("/x") })
    }

    @Test func `a key of the cache is of the resource`() throws {
        func key(_ headers: HTTPFields, _ fields: CachePolicy.Fields) throws -> CacheKey? {
            CacheKey(HTTPRequest(url: try HTTPURL("https://a.test/"), headers: headers), fields: fields)
        }
        for fields in [CachePolicy.Fields.standard, .only(), .only("Accept"), .standard(without: "Host")] {
            #expect(try key(["Host": "b.test"], fields) != key([:], fields))
            #expect(try key(["Host": "b.test"], fields) != key(["Host": "c.test"], fields))
            #expect(try key(["Host": "b.test"], fields) == key(["host": "b.test"], fields))
        }
    }
}
