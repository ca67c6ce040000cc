internal import Errand
internal import Foundation

extension ResponseCacheConformance {
    /// Entries are returned as they were stored.
    static let contentCases: [Case] = [
        Case("empty", "An empty cache has no entry") { scene throws(ConformanceFailure) in
            do {
                _ = try await scene.cache.entry(for: scene.key("a"))
            } catch {
                if error as? CacheMiss == .noEntry { return }
                throw scene.failure("the reason that there is no entry", "\(error)")
            }
            throw scene.failure("no entry", "one")
        },
        Case("response", "Status, fields and body come back") { scene throws(ConformanceFailure) in
            let headers: HTTPFields = ["Content-Type": "text/plain", "ETag": "\"a\""]
            try await scene.check(scene.entry(Data("hello".utf8), headers: headers))
            try await scene.check(scene.entry(Data("none".utf8), status: 404), "b")
        },
        Case("fields", "Fields keep their order, repetitions, case and odd values") {
            scene throws(ConformanceFailure) in
            let headers: HTTPFields = [
                "Set-Cookie": "a=1", "X-A": "1", "set-cookie": "b=2; Path=/", "x-a": "2", "X-Empty": "",
                "X-Odd": "caf\u{E9} \u{1F600} a\tb \u{7F}",
            ]
            try await scene.check(scene.entry(Data(), headers: headers))
        },
        Case("fields-many", "A thousand fields come back") { scene throws(ConformanceFailure) in
            let fields = (0..<1_000).map { HTTPField(name: "X-\($0)", value: String(repeating: "v", count: $0)) }
            try await scene.check(scene.entry(Data(), headers: HTTPFields(fields)))
        },
        Case("body-empty", "An empty body comes back") { scene throws(ConformanceFailure) in
            try await scene.check(scene.entry(Data(), status: 204))
        },
        Case("body-bytes", "A body of all bytes comes back") { scene throws(ConformanceFailure) in
            try await scene.check(scene.entry(Data((0..<1_024).map { UInt8($0 % 256) })))
        },
        Case("body-slice", "A body that is part of other bytes comes back") { scene throws(ConformanceFailure) in
            try await scene.check(scene.entry(Data((0..<200).map { UInt8($0) })[50..<150]))
        },
        Case("body-large", "A body of a megabyte comes back") { scene throws(ConformanceFailure) in
            var random = SplitMix64(seed: 1)
            try await scene.check(
                scene.entry(Data((0..<1 << 20).map { _ in UInt8(truncatingIfNeeded: random.next()) })))
        },
        Case("circumstances", "Version, scope, app version, tag and time come back") {
            scene throws(ConformanceFailure) in
            let entry = scene.entry(
                Data("a".utf8), storedAt: -7.123_456_789, version: -3, scope: "somebody", appVersion: "1.2 (3)",
                tag: "a tag")
            try await scene.check(entry)
            let found = try? await scene.cache.entry(for: scene.key("a"))
            guard found?.scope?.matches("somebody") == true, found?.scope?.matches("somebody else") == false else {
                throw scene.failure("a scope that matches its own values, and no others", "another")
            }
        },
        Case("circumstances-empty", "Empty texts are distinguished from missing ones") {
            scene throws(ConformanceFailure) in
            let entry = scene.entry(Data(), storedAt: -1_000, version: .max, scope: "", appVersion: "", tag: "")
            try await scene.check(entry)
            try await scene.check(scene.entry(Data()), "b")
        },
        Case("origin", "The final URL and the number of redirects come back") {
            scene throws(ConformanceFailure) in
            let url = try? HTTPURL("https://other.test/caf%C3%A9?a=1")
            try await scene.check(scene.entry(Data("a".utf8), url: url, redirects: 3))
            try await scene.check(scene.entry("b"), "b")
        },
        Case("http", "The metadata for HTTP caching comes back") { scene throws(ConformanceFailure) in
            let fields = [
                CacheEntry.NominatedField(name: "a", value: "1, \u{e9}"),
                CacheEntry.NominatedField(name: "b", value: nil),
            ]
            let variant = CacheEntry.HTTPRecord.Variant(nominated: fields, tag: "\"t\"", modified: nil)
            let record = CacheEntry.HTTPRecord(
                respondedAt: scene.date(after: 0.125), nominated: fields, variants: [variant], searches: ["params"])
            try await scene.check(scene.entry(Data("a".utf8), http: record))
            try await scene.check(scene.entry("b"), "b")
        },
        Case("keys", "Each key has an entry of its own") { scene throws(ConformanceFailure) in
            for index in 0..<100 {
                await scene.cache.store(scene.entry("body \(index)"), for: try scene.key("\(index)"))
            }
            for index in 0..<100 { try await scene.expect(scene.entry("body \(index)"), "\(index)") }
            try await scene.expectNothing("100")
        },
    ]
}
