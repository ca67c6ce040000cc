internal import Errand
internal import ErrandLocks
internal import Foundation

extension ResponseCacheConformance {
    /// Entries that were replaced or removed are not returned any more.
    static let changeCases: [Case] = [
        Case("replace", "A lookup returns the entry that was stored last") { scene throws(ConformanceFailure) in
            for body in ["one", "a longer one", "", "two"] { try await scene.check(scene.entry(body)) }
        },
        Case("late", "A response to an earlier request that arrives later replaces no entry") {
            scene throws(ConformanceFailure) in
            func entry(_ body: String, asked: Double, received: Double) -> CacheEntry {
                scene.entry(Data(body.utf8), storedAt: asked, receivedAt: received)
            }
            let newer = entry("newer", asked: -50, received: -40)
            try await scene.check(newer)
            await scene.cache.store(entry("late", asked: -60, received: -30), for: try scene.key("a"))
            try await scene.expect(newer, "a")
            try await scene.check(entry("newest", asked: -20, received: -10))
            // If the clock was moved back, the existing entry comes from the future.
            try await scene.check(entry("moved", asked: -70, received: -65))
            try await scene.check(scene.entry(Data("by hand".utf8), storedAt: -90))
        },
        Case("remove", "A removal removes its entry and no other") { scene throws(ConformanceFailure) in
            for name in ["a", "b"] { try await scene.check(scene.entry(name), name) }
            try await scene.remove("a")
            try await scene.expectNothing("a")
            try await scene.expect(scene.entry("b"), "b")
        },
        Case("remove-none", "Removing an entry that does not exist succeeds") { scene throws(ConformanceFailure) in
            try await scene.remove("a")
            try await scene.expectNothing("a")
        },
        Case("remove-then-store", "A removed entry can be stored again") { scene throws(ConformanceFailure) in
            for body in ["one", "two"] {
                try await scene.check(scene.entry(body))
                try await scene.remove("a")
            }
            try await scene.check(scene.entry("three"))
        },
        Case("remove-where", "Entries chosen by a predicate are removed and counted, and no others") {
            scene throws(ConformanceFailure) in
            for index in 0..<20 {
                let entry = scene.entry(Data("\(index)".utf8), tag: index % 4 == 0 ? "old" : nil)
                await scene.cache.store(entry, for: try scene.key("\(index)"))
            }
            try await scene.expectRemoval(of: 5) { $0.tag == "old" }
            for index in 0..<20 where index % 4 == 0 { try await scene.expectNothing("\(index)") }
            for index in 0..<20 where index % 4 != 0 { try await scene.expect(scene.entry("\(index)"), "\(index)") }
            try await scene.expectRemoval(of: 0) { $0.tag == "old" }
            try await scene.expectRemoval(of: 15) { _ in true }
            try await scene.expectNothing("1")
        },
        Case("items", "Items describe the entries, without their secrets") { scene throws(ConformanceFailure) in
            let entry = scene.entry(Data(count: 10_000), status: 203, storedAt: -5, tag: "t")
            await scene.cache.store(entry, for: try scene.key("a/b?page=2&token=hidden"))
            let items = Locked<[CacheEntry.Summary]>([])
            try await scene.expectRemoval(of: 0) { item in
                items.withLock { $0.append(item) }
                return false
            }
            let found = items.withLock { $0 }
            guard !found.isEmpty else { throw scene.failure("an item", "none") }
            let key = try scene.key("a/b?page=2&token=hidden")
            // A cache with two tiers may ask for both.
            for item in found {
                let isRight =
                    item.method == .get && item.host == "cache.test" && item.url == key.url.redacted && item.tag == "t"
                    && item.status == 203 && item.storedAt == entry.storedAt && item.size >= 10_000
                guard isRight else { throw scene.failure("an item about the entry", "\(item)") }
            }
        },
    ]
}
