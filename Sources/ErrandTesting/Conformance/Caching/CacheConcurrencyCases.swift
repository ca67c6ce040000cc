internal import Errand
internal import Foundation

extension ResponseCacheConformance {
    /// Concurrent use of the cache.
    static let concurrencyCases: [Case] = [
        Case("concurrent", "A lookup always returns an entry that was stored for its key") {
            scene throws(ConformanceFailure) in
            let failures = await withTaskGroup(of: ConformanceFailure?.self) { group in
                for lane in 0..<8 {
                    group.addTask {
                        do throws(ConformanceFailure) {
                            try await scene.hammer(seed: UInt64(lane))
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                return await group.reduce(into: [ConformanceFailure]()) { if let failure = $1 { $0.append(failure) } }
            }
            if let failure = failures.first { throw failure }
        },
        Case("concurrent-own", "A task sees its own stores and removals, whatever other tasks do") {
            scene throws(ConformanceFailure) in
            let failures = await withTaskGroup(of: ConformanceFailure?.self) { group in
                for lane in 0..<8 {
                    group.addTask {
                        do throws(ConformanceFailure) {
                            for round in 0..<50 {
                                try await scene.check(scene.entry("\(lane) \(round)"), "own\(lane)")
                                guard round % 5 == 0 else { continue }
                                try await scene.remove("own\(lane)")
                                try await scene.expectNothing("own\(lane)")
                            }
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                return await group.reduce(into: [ConformanceFailure]()) { if let failure = $1 { $0.append(failure) } }
            }
            if let failure = failures.first { throw failure }
        },
    ]
}

extension CacheConformanceScene {
    /// Uses a few keys that other tasks also use; bodies begin with the name of their key.
    fileprivate func hammer(seed: UInt64) async throws(ConformanceFailure) {
        var random = SplitMix64(seed: seed)
        for round in 0..<300 {
            let name = "key\(random.next(below: 10))"
            let key = try self.key(name)
            switch random.next(below: 10) {
            case 0: try await self.remove(name)
            case 1...4:
                let body = "\(name) " + String(repeating: "\(round % 10)", count: random.next(below: 5_000))
                await self.cache.store(self.entry(body), for: key)
            default:
                guard let entry = try? await self.cache.entry(for: key) else { continue }
                let text = String(decoding: entry.response.data, as: UTF8.self)
                guard text.hasPrefix("\(name) "), Set(text.dropFirst(name.count + 1)).count <= 1 else {
                    throw self.failure("a body for \(name)", entry.response.data.excerpt)
                }
            }
        }
    }
}
