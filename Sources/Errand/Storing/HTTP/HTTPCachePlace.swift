internal import struct Foundation.Date

/// Where what is stored for one URL is, for one who asks.
struct HTTPCachePlace: Sendable {
    let cache: CacheAccess
    /// The key of the URL.
    let key: CacheKey
    /// The fields of the request, as they are compared.
    let fields: HTTPFields
    /// Whom the responses are for, if the app says so.
    let scope: String?
    let redaction: Redaction
    let counts: CacheCounts

    /// How many responses are kept for one URL.
    private static let mostVariants = 32

    /// What was found for a request.
    struct Found: Sendable {
        /// The entry that matches it.
        var entry: CacheEntry?
        /// The key of that.
        var key: CacheKey
        /// All that are stored for the URL; none where the entry is the only one.
        var variants: [HTTPCacheRecord.Variant] = []
        /// The entry of the URL, where it is a response for other requests.
        var other: CacheEntry?

        /// The same for what decides.
        var choice: StoredChoice {
            StoredChoice(
                selected: self.entry?.stored, tags: self.candidates.compactMap(\.tag),
                hasVariants: !self.candidates.isEmpty)
        }

        /// All that a 304 may be about, the one that matches the request first.
        var candidates: [HTTPCacheRecord.Variant] {
            let own = [self.entry, self.other].compactMap { $0?.variant }
            return own + self.variants.filter { $0.nominated != own.first?.nominated }
        }
    }

    // MARK: - Looking

    /// Finds what is stored for the request.
    ///
    /// - Parameter withRedirections: Whether a redirection that is stored is a response to it: nobody follows that.
    /// - Returns: What was found.
    func find(withRedirections: Bool) async -> Found {
        var found = await self.find()
        if !withRedirections, found.entry?.response.status.isFollowable == true { found.entry = nil }
        return found
    }

    private func find() async -> Found {
        guard let entry = await self.load(self.key), let record = entry.http else { return Found(key: self.key) }
        guard record.variants.isEmpty else {
            var found = Found(key: self.key, variants: record.variants)
            guard let variant = record.variants.first(where: { $0.nominated.match(self.fields, self.redaction) })
            else { return found }
            found.key = self.key.variant(variant.nominated)
            if let entry = await self.load(found.key), entry.http?.nominated == variant.nominated {
                found.entry = entry
            }
            return found
        }
        return record.nominated.match(self.fields, self.redaction)
            ? Found(entry: entry, key: self.key) : Found(key: self.key, other: entry)
    }

    /// Loads one of several responses that are stored for the URL.
    func load(_ variant: HTTPCacheRecord.Variant, of found: Found) async -> CacheEntry? {
        for entry in [found.entry, found.other] where entry?.http?.nominated == variant.nominated { return entry }
        return await self.load(self.key.variant(variant.nominated))
    }

    private func load(_ key: CacheKey) async -> CacheEntry? {
        guard let entry = try? await self.cache.entry(for: key), entry.http != nil else { return nil }
        switch (entry.scope, self.scope) {
        case (nil, nil): return entry
        case (let stored?, let scope?): return stored.matches(scope) ? entry : nil
        default: return nil
        }
    }

    // MARK: - Changing

    /// How often something was removed by hand, by this client or from this cache; one removal may count twice.
    var removals: Int { self.counts.removals &+ self.cache.removals }

    /// Stores a response to the request, beside those for other requests to the URL.
    ///
    /// - Parameters:
    ///   - entry: The response, with its times.
    ///   - found: What was there; what came meanwhile is found anew with the next request.
    ///   - removals: The ``removals`` when it was asked for: what was removed since must not come back.
    ///   - isUpdate: Whether it has the content of the one that was found.
    func store(_ entry: CacheEntry, beside found: Found, since removals: Int, isUpdate: Bool = false) async {
        var entry = entry
        let nominated = HTTPVary(entry.response.headers).nominated(by: self.fields, self.redaction)
        entry.http?.nominated = nominated
        entry.scope = self.scope.map { CacheScope($0) }
        var others = nominated.isEmpty ? [] : found.variants.filter { $0.nominated != nominated }
        if let other = found.other, let variant = other.variant, !nominated.isEmpty, !variant.nominated.isEmpty,
            variant.nominated != nominated
        {
            await self.put(other, at: self.key.variant(variant.nominated), since: removals)
            others = [variant]
        }
        let key = others.isEmpty ? self.key : self.key.variant(nominated)
        await self.put(entry, at: key, since: removals, isUpdate: isUpdate && found.entry != nil && key == found.key)
        guard !others.isEmpty, let variant = entry.variant else { return }
        var list = entry
        list.response = HTTPResponse(status: 300)
        list.http?.nominated = []
        list.http?.variants = [variant] + others.prefix(Self.mostVariants - 1)
        // Always in place of what was there: it lists that.
        list.receivedAt = nil
        await self.put(list, at: self.key, since: removals)
        for dropped in others.dropFirst(Self.mostVariants - 1) {
            await self.cache.remove(self.key.variant(dropped.nominated))
        }
    }

    private func put(_ entry: CacheEntry, at key: CacheKey, since removals: Int, isUpdate: Bool = false) async {
        guard self.removals == removals else { return }
        _ = await self.cache.store(entry, for: key, isUpdate: isUpdate) { self.removals != removals }
    }

    /// Removes the response that was found for the request: a newer one is not stored.
    func drop(_ found: Found) async {
        if found.entry != nil { await self.cache.remove(found.key) }
    }

    /// Removes all that is stored for the URL, and what is on its way there.
    func clear() async {
        self.counts.countRemoval()
        let found = await self.find()
        for variant in found.variants { await self.cache.remove(self.key.variant(variant.nominated)) }
        await self.cache.remove(self.key)
    }
}

extension CacheEntry {
    /// The response as what decides sees it.
    var stored: StoredHead {
        StoredHead(
            head: self.response.head, requestedAt: self.storedAt, respondedAt: self.http?.respondedAt ?? self.storedAt)
    }

    /// The response as it is listed among others.
    fileprivate var variant: HTTPCacheRecord.Variant? {
        self.http.map {
            HTTPCacheRecord.Variant(
                nominated: $0.nominated, tag: self.response.headers[HTTPFieldName.etag],
                modified: self.response.headers[HTTPFieldName.lastModified])
        }
    }
}
