internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// With `ERRAND_SCHEDULES=10000` each of the first two reads 100 000 files.
@Suite("The disk cache: files that are changed at random", .timeLimit(.minutes(60)), .paced)
struct DiskCacheFuzzTests {
    private let bench: DiskCacheBench

    init() throws {
        self.bench = try DiskCacheBench()
    }

    @Test func `files, flipped, cut and lengthened, are never a wrong answer`() async throws {
        var random = SplitMix64(seed: 5)
        let cache = self.bench.cache()
        let bench = self.bench
        try self.makeFolders()
        var counts: [CacheMiss?: Int] = [:]
        let rounds = TestEffort.rounds(of: 20_000)
        for round in 0..<rounds {
            let (entry, key) = try self.randomEntry(&random, round)
            let (whole, path) = (Self.file(entry, key), bench.file(ofDigest: key.name).path)
            var bytes = whole
            defer { _ = unsafe unlink(path) }
            for _ in 0...random.next(below: 3) { bytes = Self.damaged(bytes, &random) }
            try Self.write(bytes, path)
            do throws(CacheMiss) {
                let found = try await cache.entry(for: key)
                counts[nil, default: 0] += 1
                guard bytes != whole || !found.isSame(as: entry) else { continue }
                Issue.record("round \(round): a wrong answer")
            } catch {
                counts[error, default: 0] += 1
                await cache.flush()
                let isGone = try FileFacts(path: path) == nil
                if bytes == whole || isGone == (error == .otherFormat) {
                    Issue.record("round \(round): \(error)")
                }
            }
            _ = FolderRecord(bytes)
        }
        #expect(counts.values.reduce(0, +) == rounds)
        #expect(counts[nil, default: 0] < rounds / 20)
        for miss in [CacheMiss.corruptHead, .corruptBody, .otherFormat] {
            #expect(counts[miss, default: 0] > rounds / 1_000)
        }
        #expect(Set(counts.keys).isSubset(of: [nil, .corruptHead, .corruptBody, .otherFormat]))
        #expect(self.bench.names.isEmpty)
    }

    /// Damage that fits its checksums, as only malice makes it, is no response to rely on; but no trap either, and the
    /// body, which has a checksum of its own, is the one that was stored.
    @Test func `files whose checksums were made to fit are no trap, and no other body`() async throws {
        var random = SplitMix64(seed: 6)
        let cache = self.bench.cache()
        try self.makeFolders()
        var counts: [CacheMiss?: Int] = [:]
        let rounds = TestEffort.rounds(of: 20_000)
        for round in 0..<rounds {
            let (entry, key) = try self.randomEntry(&random, round)
            let (draft, path) = (EntryDraft(entry, for: key), self.bench.file(ofDigest: key.name).path)
            defer { _ = unsafe unlink(path) }
            try Self.write(
                random.next(below: 2) == 0
                    ? Self.withOtherMetadata(draft, &random) : Self.withOtherNumbers(draft, &random), path)
            do throws(CacheMiss) {
                let found = try await cache.entry(for: key)
                counts[nil, default: 0] += 1
                if found.response.data != entry.response.data { Issue.record("round \(round): another body") }
                _ = found.http?.nominated.match(["A": "1"])
            } catch {
                counts[error, default: 0] += 1
            }
            _ = try? CacheFolder(self.bench.folder).item(key.digest)
            await cache.flush()
        }
        #expect(Set(counts.keys).isSubset(of: [nil, .noEntry, .corruptHead, .corruptBody]))
        for outcome in [nil, CacheMiss.corruptHead, .corruptBody] {
            #expect(counts[outcome, default: 0] > rounds / 100, "\(outcome.map { "\($0)" } ?? "found")")
        }
    }

    @Test func `bodies in files of their own are never a wrong response`() async throws {
        var random = SplitMix64(seed: 7)
        let cache = self.bench.cache()
        for round in 0..<TestEffort.rounds(of: 500) {
            let entry = self.bench.entry(Data(repeating: UInt8(round % 256), count: 70_000))
            let key = try DiskCacheBench.key("\(round)")
            cache.store(entry, for: key)
            await cache.flush()
            let path = self.bench.folder.path + "/" + (try #require(self.bench.paths.first { $0.hasSuffix(".body") }))
            let bytes = Self.damaged(Array(entry.response.data), &random)
            _ = unsafe unlink(path)
            try Self.write(bytes, path)
            let isSame = Data(bytes) == entry.response.data
            #expect(try await self.bench.miss("\(round)", in: cache) == (isSame ? nil : .corruptBody))
            try await cache.remove(key)
        }
        #expect(self.bench.names.isEmpty)
    }

    // MARK: - Files

    private func makeFolders() throws {
        for shard in CacheFolder.shards {
            let place = self.bench.folder.appending(path: shard)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
    }

    private static func withOtherMetadata(_ draft: EntryDraft, _ random: inout SplitMix64) -> [UInt8] {
        var metadata = draft.metadata
        for _ in 0...random.next(below: 3) { metadata = self.damaged(metadata, &random) }
        return EntryHeader(metadata: metadata, body: draft.body, digest: draft.digest).bytes + metadata + draft.body
    }

    /// The header with another number among the lengths, the checksums and the name of the body.
    private static func withOtherNumbers(_ draft: EntryDraft, _ random: inout SplitMix64) -> [UInt8] {
        var reader = FieldReader(draft.header.bytes[...])
        var numbers = (0..<10).map { _ in (try? reader.number()) ?? 0 }
        let values = [0, 1, 87, 1 << 24, 1 << 39, 1 << 40, UInt64.max >> 1, .max, numbers[1] + 1, numbers[3] &- 1]
        let value = random.next(below: 2) == 0 ? random.next() : values[random.next(below: values.count)]
        numbers[1 + random.next(below: 5)] = value
        return CheckedNumbers.bytes(numbers) + draft.metadata + draft.body
    }

    private static func file(_ entry: CacheEntry, _ key: CacheKey) -> [UInt8] {
        let draft = EntryDraft(entry, for: key)
        return draft.header.bytes + draft.metadata + draft.body
    }

    private static func write(_ bytes: [UInt8], _ path: String) throws {
        let file = try OpenFile(making: path)
        try file.write(bytes)
    }

    private func randomEntry(
        _ random: inout SplitMix64, _ round: Int
    ) throws -> (CacheEntry, CacheKey) {
        let known = self.bench.entry(Data((0..<random.next(below: 200)).map { _ in UInt8(random.next(below: 256)) }))
        var response = known.response
        for field in 0..<random.next(below: 4) {
            response.head.headers.append(name: "X-\(field)", value: "\(random.next())")
        }
        let isElsewhere = random.next(below: 2) == 0
        let entry = CacheEntry(
            response: response, storedAt: known.storedAt, version: known.version,
            scope: random.next(below: 2) == 0 ? nil : known.scope,
            appVersion: random.next(below: 2) == 0 ? nil : known.appVersion, tag: known.tag,
            url: isElsewhere ? try HTTPURL("https://other.test/\(round)") : nil,
            redirects: isElsewhere ? random.next(below: 20) : 0)
        return (entry, try DiskCacheBench.key("\(round)"))
    }

    private static func damaged(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        switch random.next(below: 6) {
        case 0: bytes.removeLast(min(bytes.count, 1 + random.next(below: 50)))
        case 1: bytes += (0...random.next(below: 50)).map { _ in UInt8(random.next(below: 256)) }
        case 2 where !bytes.isEmpty: bytes.remove(at: random.next(below: bytes.count))
        case 3 where !bytes.isEmpty: bytes.insert(UInt8(random.next(below: 256)), at: random.next(below: bytes.count))
        case 4 where !bytes.isEmpty: bytes[random.next(below: bytes.count)] = UInt8(random.next(below: 256))
        default:
            guard !bytes.isEmpty else { return [0] }
            bytes[random.next(below: bytes.count)] ^= 1 << random.next(below: 8)
        }
        return bytes
    }
}
