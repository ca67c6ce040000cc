internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("HTTP caching: what is done (RFC 9111 §4)", .timeLimit(.minutes(60)), .paced)
struct HTTPDecisionTests {
    enum Outcome: Sendable, Hashable {
        case fresh
        case refreshed
        case validated(ResponseSource.CacheStatus.Forward)
        case asked(ResponseSource.CacheStatus.Forward)
        case failed
    }

    /// A response that came at 0, and a request some time later.
    struct Example: Sendable, CustomTestStringConvertible {
        let title: String
        let stored: String?
        let age: Double
        let request: String
        let method: String
        let outcome: Outcome
        let survives: Bool

        init(
            _ title: String, _ stored: String?, after age: Double = 0, asking request: String = "",
            method: String = "GET", _ outcome: Outcome, survives: Bool = false
        ) {
            (self.title, self.stored, self.age, self.request) = (title, stored, age, request)
            (self.method, self.outcome, self.survives) = (method, outcome, survives)
        }

        var testDescription: String { self.title }
    }

    private static let hour = "Cache-Control: max-age=3600 | ETag: \"a\""

    static let examples: [Example] = [
        Example("§4 nothing is stored", nil, .asked(.uriMiss)),
        Example("§4 fresh", hour, after: 3599, .fresh),
        Example("§4.2 stale at the moment its lifetime ends", hour, after: 3600, .validated(.stale)),
        Example("§4.2 stale without a validator", "Cache-Control: max-age=60", after: 61, .asked(.stale)),
        Example("§4.2.1 fresh by Expires", "Expires: @60 | Date: @0", after: 59, .fresh),
        Example("§4.2.2 fresh by a guess", "Last-Modified: @-1000 | Date: @0", after: 99, .fresh),
        Example("§4.2.2 stale by a guess", "Last-Modified: @-1000 | Date: @0", after: 101, .validated(.stale)),
        Example("§4 HEAD", hour, method: "HEAD", .fresh),
        Example("§4 HEAD of what is stale", hour, after: 3601, method: "HEAD", .asked(.stale)),
        Example("§4 POST", hour, method: "POST", .asked(.method)),
        Example("§4 OPTIONS", hour, method: "OPTIONS", .asked(.method)),
        Example("§4 a method in small letters is another one", hour, method: "get", .asked(.method)),
        Example(
            "§5.2.1.1 max-age it is older than", hour, after: 61, asking: "Cache-Control: max-age=60",
            .validated(.request)),
        Example("§5.2.1.1 max-age it is as old as", hour, after: 60, asking: "Cache-Control: max-age=60", .fresh),
        Example("§5.2.1.1 max-age=0", hour, asking: "Cache-Control: max-age=0", .validated(.request)),
        Example(
            "§5.2.1.1 an invalid max-age", hour, after: 1, asking: "Cache-Control: max-age=x", .validated(.request)),
        Example(
            "§5.2.1.1 max-age and Age", hour + " | Age: 1800", asking: "Cache-Control: max-age=600",
            .validated(.request)),
        Example("§5.2.1.2 max-stale", hour, after: 3700, asking: "Cache-Control: max-stale", .fresh),
        Example("§5.2.1.2 max-stale of so much", hour, after: 3700, asking: "Cache-Control: max-stale=100", .fresh),
        Example(
            "§5.2.1.2 max-stale of less", hour, after: 3701, asking: "Cache-Control: max-stale=100", .validated(.stale)),
        Example(
            "§5.2.1.2 an invalid max-stale", hour, after: 3700, asking: "Cache-Control: max-stale=x", .validated(.stale)
        ),
        Example(
            "§5.2.1.2 max-stale and must-revalidate", "Cache-Control: max-age=60, must-revalidate | ETag: \"a\"",
            after: 70, asking: "Cache-Control: max-stale", .validated(.stale)),
        Example(
            "§5.2.1.2 max-stale and no-cache", "Cache-Control: max-age=60, no-cache | ETag: \"a\"",
            asking: "Cache-Control: max-stale", .validated(.stale)),
        Example(
            "§5.2.1.2 max-stale and max-age", hour, after: 3700, asking: "Cache-Control: max-stale, max-age=60",
            .validated(.request)),
        Example("§5.2.1.3 min-fresh", hour, after: 3540, asking: "Cache-Control: min-fresh=60", .fresh),
        Example(
            "§5.2.1.3 min-fresh of more", hour, after: 3541, asking: "Cache-Control: min-fresh=60", .validated(.request)
        ),
        Example("§5.2.1.3 an invalid min-fresh", hour, asking: "Cache-Control: min-fresh=x", .validated(.request)),
        Example(
            "§5.2.1.3 min-fresh and Age", hour + " | Age: 3000", asking: "Cache-Control: min-fresh=1000",
            .validated(.request)),
        Example("§5.2.1.4 no-cache", hour, asking: "Cache-Control: no-cache", .validated(.request)),
        Example(
            "§5.2.1.4 no-cache by a date", "Cache-Control: max-age=60 | Last-Modified: @-9",
            asking: "Cache-Control: no-cache", .validated(.request)),
        Example(
            "§5.2.1.4 no-cache without a validator", "Cache-Control: max-age=60", asking: "Cache-Control: no-cache",
            .asked(.request)),
        Example("§5.2.1.5 no-store is about what comes", hour, asking: "Cache-Control: no-store", .fresh),
        Example("§5.2.1.6 no-transform", hour, asking: "Cache-Control: no-transform", .fresh),
        Example("§5.2.1.7 only-if-cached", hour, asking: "Cache-Control: only-if-cached", .fresh),
        Example("§5.2.1.7 only-if-cached, and nothing is", nil, asking: "Cache-Control: only-if-cached", .failed),
        Example(
            "§5.2.1.7 only-if-cached, and it is stale", hour, after: 3601, asking: "Cache-Control: only-if-cached",
            .failed),
        Example(
            "§5.2.1.7 only-if-cached and max-stale", hour, after: 3601,
            asking: "Cache-Control: only-if-cached, max-stale", .fresh),
        Example(
            "§5.2.1.7 only-if-cached and no-cache", hour, asking: "Cache-Control: only-if-cached, no-cache", .failed),
        Example(
            "§5.2.2.2 must-revalidate while it is fresh", "Cache-Control: max-age=60, must-revalidate | ETag: \"a\"",
            .fresh),
        Example(
            "§5.2.2.2 must-revalidate", "Cache-Control: max-age=60, must-revalidate | ETag: \"a\"", after: 60,
            .validated(.stale)),
        Example("§5.2.2.4 no-cache", "Cache-Control: max-age=60, no-cache | ETag: \"a\"", .validated(.stale)),
        Example("§5.2.2.4 no-cache without max-age", "Cache-Control: no-cache | ETag: \"a\"", .validated(.stale)),
        Example(
            "§5.2.2.4 no-cache in other letters", "Cache-Control: max-age=60, No-CaChE | ETag: \"a\"",
            .validated(.stale)),
        Example("§5.2.2.4 no-cache of fields", "Cache-Control: max-age=60, no-cache=\"a\" | ETag: \"a\"", .fresh),
        Example(
            "§5.2.2.8 proxy-revalidate is for shared caches",
            "Cache-Control: max-age=60, proxy-revalidate, stale-while-revalidate=60", after: 70, .refreshed),
        Example("§5.4 Pragma: no-cache", hour, asking: "Pragma: no-cache", .validated(.request)),
        Example(
            "§5.4 Pragma beside Cache-Control", hour, asking: "Pragma: no-cache | Cache-Control: max-age=60", .fresh),
        Example("§5.4 another Pragma", hour, asking: "Pragma: foo", .fresh),
        Example("§5.4 Pragma of a response", hour + " | Pragma: no-cache", .fresh),
        Example(
            "RFC 8246 §2 immutable and max-age=0", "Cache-Control: max-age=60, immutable | ETag: \"a\"",
            asking: "Cache-Control: max-age=0", .fresh),
        Example(
            "RFC 8246 §2 immutable and no-cache", "Cache-Control: max-age=60, immutable | ETag: \"a\"",
            asking: "Cache-Control: no-cache", .validated(.request)),
        Example(
            "RFC 8246 §2 immutable, stale", "Cache-Control: max-age=60, immutable | ETag: \"a\"", after: 61,
            .validated(.stale)),
        Example(
            "RFC 8246 §2 immutable, stale, max-age=0", "Cache-Control: max-age=60, immutable | ETag: \"a\"", after: 61,
            asking: "Cache-Control: max-age=0", .validated(.request)),
        Example(
            "RFC 5861 §3 stale-while-revalidate, fresh",
            "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", .fresh),
        Example(
            "RFC 5861 §3 stale-while-revalidate", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"",
            after: 90, .refreshed),
        Example(
            "RFC 5861 §3 stale-while-revalidate, too late",
            "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", after: 91, .validated(.stale)),
        Example(
            "RFC 5861 §3 an invalid stale-while-revalidate",
            "Cache-Control: max-age=60, stale-while-revalidate=x | ETag: \"a\"", after: 61, .validated(.stale)),
        Example(
            "RFC 5861 §3 stale-while-revalidate and must-revalidate",
            "Cache-Control: max-age=60, stale-while-revalidate=30, must-revalidate | ETag: \"a\"", after: 61,
            .validated(.stale)),
        Example(
            "RFC 5861 §3 stale-while-revalidate and max-age of the request",
            "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", after: 61,
            asking: "Cache-Control: max-age=60", .validated(.request)),
        Example(
            "RFC 5861 §4 stale-if-error", "Cache-Control: max-age=60, stale-if-error=30 | ETag: \"a\"", after: 90,
            .validated(.stale), survives: true),
        Example(
            "RFC 5861 §4 stale-if-error without a validator", "Cache-Control: max-age=60, stale-if-error=30", after: 90,
            .asked(.stale), survives: true),
        Example(
            "RFC 5861 §4 stale-if-error, too late", "Cache-Control: max-age=60, stale-if-error=30 | ETag: \"a\"",
            after: 91, .validated(.stale)),
        Example(
            "RFC 5861 §4 stale-if-error and must-revalidate",
            "Cache-Control: max-age=60, stale-if-error=30, must-revalidate | ETag: \"a\"", after: 61, .validated(.stale)
        ),
        Example(
            "RFC 5861 §4 stale-if-error and no-cache", "Cache-Control: no-cache, stale-if-error=30 | ETag: \"a\"",
            .validated(.stale)),
        Example(
            "RFC 5861 §4 stale-if-error of the request", hour, after: 3610, asking: "Cache-Control: stale-if-error=30",
            .validated(.stale), survives: true),
        Example(
            "RFC 5861 §4 stale-if-error, and the request says no-cache",
            "Cache-Control: max-age=60, stale-if-error=30 | ETag: \"a\"", after: 61, asking: "Cache-Control: no-cache",
            .validated(.request)),
        Example("§4.3.2 If-None-Match of what is fresh", hour, asking: "If-None-Match: \"a\"", .fresh),
        Example(
            "§4.3.2 If-None-Match of what is stale", hour, after: 3601, asking: "If-None-Match: \"a\"", .asked(.stale)),
        Example("§4.3.2 If-None-Match of nothing", nil, asking: "If-None-Match: \"a\"", .asked(.uriMiss)),
        Example(
            "§4.3.2 If-Modified-Since of what is stale", hour, after: 3601, asking: "If-Modified-Since: @0",
            .asked(.stale)),
        Example("§4.3.2 If-Match", hour, asking: "If-Match: \"a\"", .asked(.bypass)),
        Example("§4.3.2 If-Unmodified-Since", hour, asking: "If-Unmodified-Since: @0", .asked(.bypass)),
        Example("§3.3 a range of what is fresh", hour, asking: "Range: bytes=0-1", .fresh),
        Example("§3.3 a range of what is stale", hour, after: 3601, asking: "Range: bytes=0-1", .validated(.stale)),
        Example("§3.3 several ranges", hour, asking: "Range: bytes=0-1,3-4", .asked(.partial)),
        Example("§3.3 another unit", hour, asking: "Range: lines=0-1", .asked(.partial)),
    ]

    @Test(arguments: Self.examples)
    func `what a request does`(example: Example) throws {
        let decision = Self.decide(
            try HTTPCaseText.request(example.request, method: example.method), example.stored, after: example.age)
        #expect(Self.outcome(decision) == example.outcome, "\(decision.reasons.map(\.description))")
        #expect(decision.servesOnError == example.survives)
        #expect(!decision.reasons.isEmpty)
    }

    @Test func `RFC 5861 §4 the app says how stale it may be`() throws {
        let request = try HTTPCaseText.request()
        for (stored, age, survives) in [
            (Self.hour, 3600.0 + 500, true), (Self.hour, 3600 + 501, false), ("Content-Type: a/b", 500, true),
            ("Cache-Control: max-age=60, must-revalidate", 61, false),
            ("Cache-Control: no-cache | ETag: \"a\"", 0, false),
        ] {
            let decision = Self.decide(request, stored, after: age, staleIfError: 500)
            #expect(decision.servesOnError == survives, "\(stored)")
        }
    }

    @Test func `§4.1 responses for other requests are asked about`() throws {
        let request = try HTTPCaseText.request()
        let decision = HTTPCacheRules.decide(
            request, nil, tags: { ["\"a\"", "\"b\""] }, now: HTTPCaseText.epoch)
        #expect(decision.action == .validate(["If-None-Match": "\"a\", \"b\""]))
        #expect(decision.forward == .varyMiss)
        let tagless = HTTPCacheRules.decide(
            request, nil, tags: { [] }, now: HTTPCaseText.epoch)
        #expect(tagless.action == .ask)
        #expect(tagless.forward == .varyMiss)
    }

    @Test func `RFC 9110 §9.3.1 a GET with content is none that a stored response answers`() throws {
        var request = try HTTPCaseText.request()
        request.body = .bytes(Data("a".utf8))
        #expect(Self.outcome(Self.decide(request, Self.hour, after: 0)) == .asked(.bypass))
    }

    @Test func `each reason says where it is written`() throws {
        for example in Self.examples {
            let decision = Self.decide(
                try HTTPCaseText.request(example.request, method: example.method), example.stored, after: example.age)
            for reason in decision.reasons { #expect(reason.description.contains("RFC ")) }
        }
    }

    private static func decide(
        _ request: HTTPRequest, _ stored: String?, after age: Double, staleIfError: Double? = nil
    ) -> CacheDecision {
        let head = stored.map {
            StoredHead(
                head: HTTPCaseText.head($0), requestedAt: HTTPCaseText.epoch, respondedAt: HTTPCaseText.epoch)
        }
        let tags = [head?.head.headers["ETag"]].compactMap { $0 }
        return HTTPCacheRules.decide(
            request, head, tags: head.map { _ in { tags } }, now: HTTPCaseText.epoch.addingTimeInterval(age),
            staleIfError: staleIfError)
    }

    private static func outcome(_ decision: CacheDecision) -> Outcome {
        switch decision.action {
        case .serve(let refreshes): refreshes ? .refreshed : .fresh
        case .validate: .validated(decision.forward ?? .bypass)
        case .ask: .asked(decision.forward ?? .bypass)
        case .fail: .failed
        }
    }
}
