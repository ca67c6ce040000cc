internal import struct Foundation.Date

/// The cache entries for one URL and one identity, by the rules of HTTP.
struct HTTPCachePlace: Sendable {
    private let cache: CacheAccess
    /// The key of the URL.
    private let urlKey: CacheKey
    /// The digest of the content, for a `QUERY`.
    private let content: SHA256?
    /// The key of the URL, or that of the query for it.
    let key: CacheKey
    /// The fields that say who asks, and for what besides the URL.
    private let identity: HTTPFields
    private let partition: String
    /// The fields of the request, as they are compared.
    private let fields: HTTPFields
    /// The scope that the responses are for, if the app says so.
    private let scope: String?
    private let redaction: Redaction

    /// The most responses that are kept for one URL.
    private static let mostVariants = 32
    /// The most values of `No-Vary-Search` that are looked at for one path.
    private static let mostSearches = 4
    /// The most queries whose contents are kept for one URL.
    private static let mostQueries = 64

    init(
        in cache: CacheAccess, for request: HTTPRequest, at url: HTTPURL?, identity: HTTPFields, endpoint: String?,
        partition: String, scope: String?, _ redaction: Redaction
    ) {
        self.cache = cache
        self.urlKey = CacheKey(
            http: (url ?? request.url).addressed(by: request.headers), identity: identity, endpoint: endpoint,
            partition: partition)
        // Of another URL than the request's own, all is meant that is stored for it.
        self.content = url == nil ? request.queryDigest : nil
        self.key = self.content.map(self.urlKey.query) ?? self.urlKey
        (self.identity, self.partition, self.fields) = (identity, partition, request.headers)
        (self.scope, self.redaction) = (scope, redaction)
    }

    /// The key of all URLs with its path.
    private var pathKey: CacheKey {
        CacheKey(
            http: self.urlKey.url, identity: self.identity, endpoint: self.urlKey.endpoint, partition: self.partition,
            isForPath: true)
    }

    /// The entries that were found for a request.
    struct Found: Sendable {
        /// The entry that matches it.
        var entry: CacheEntry?
        /// The key of that.
        var key: CacheKey
        /// The key that those of variants are made of.
        var base: CacheKey
        /// The responses that are stored for the URL; empty where the entry is the only one.
        var variants: [CacheEntry.HTTPRecord.Variant] = []
        /// The entry of the URL, where it is a response for other requests.
        var other: CacheEntry?

        /// `true` if nothing is stored for the URL.
        var isEmpty: Bool { self.entry == nil && self.other == nil && self.variants.isEmpty }

        /// The entity tags of all that are stored for the URL.
        var tags: [String] { self.candidates.compactMap(\.tag) }

        /// The responses that a 304 may be about, the one that matches the request first.
        var candidates: [CacheEntry.HTTPRecord.Variant] {
            let own = [self.entry, self.other].compactMap { $0?.variant }
            return own + self.variants.filter { $0.nominated != own.first?.nominated }
        }
    }

    // MARK: - Looking

    /// The result for a request to which nothing is stored.
    var nothing: Found { Found(key: self.key, base: self.key) }

    /// Finds what is stored for the request.
    ///
    /// - Parameter withRedirections: Whether a redirection that is stored is a response to it: nobody follows that.
    /// - Returns: What was found.
    func find(withRedirections: Bool) async -> Found {
        var found = await self.find()
        if !withRedirections, found.entry?.response.status.isFollowable == true { found.entry = nil }
        return found
    }

    /// The same where it is at hand and the only response to requests for the URL; `nil` otherwise.
    func findAtHand(withRedirections: Bool) -> Found? {
        guard let entry = self.cache.entryAtHand(for: self.key).flatMap(self.usable),
            let record = entry.http, record.variants.isEmpty, record.nominated.match(self.fields, self.redaction),
            withRedirections || !entry.response.status.isFollowable
        else { return nil }
        return Found(entry: entry, key: self.key, base: self.key)
    }

    private func find() async -> Found {
        if let found = await self.found(at: self.key) { return found }
        // One of another URL may be one of this, too; queries are told apart by their content instead.
        guard self.content == nil else { return self.nothing }
        for search in await self.texts(at: self.pathKey.searches()) {
            if let found = await self.found(at: self.base(search)) { return found }
        }
        return self.nothing
    }

    private func found(at base: CacheKey) async -> Found? {
        guard let entry = await self.load(base) else { return nil }
        var found = Found(key: base, base: base)
        guard let record = entry.http, !record.variants.isEmpty else {
            let matches = entry.http?.nominated.match(self.fields, self.redaction) == true
            (found.entry, found.other) = matches ? (entry, nil) : (nil, entry)
            return found
        }
        found.variants = record.variants
        guard let variant = record.variants.first(where: { $0.nominated.match(self.fields, self.redaction) })
        else { return found }
        found.key = base.variant(variant.nominated)
        if let entry = await self.load(found.key), entry.http?.nominated == variant.nominated { found.entry = entry }
        return found
    }

    private func base(_ search: String?) -> CacheKey {
        guard let search, let rule = NoVarySearch(search) else { return self.key }
        return self.pathKey.search(search, rule.normalized(self.key.url.query))
    }

    /// Loads one of several responses that are stored for the URL.
    func load(_ variant: CacheEntry.HTTPRecord.Variant, of found: Found) async -> CacheEntry? {
        for entry in [found.entry, found.other] where entry?.http?.nominated == variant.nominated { return entry }
        return await self.load(found.base.variant(variant.nominated))
    }

    private func load(_ key: CacheKey) async -> CacheEntry? {
        (try? await self.cache.entry(for: key)).flatMap(self.usable)
    }

    /// An entry that was stored by the rules of HTTP, for the one who asks.
    private func usable(_ entry: CacheEntry) -> CacheEntry? {
        entry.http != nil && entry.isStored(for: self.scope) ? entry : nil
    }

    // MARK: - Changing

    /// The number of times that something was removed by hand; one removal may count twice.
    var removals: Int {
        let ofURL = self.cache.removals(of: self.urlKey)
        return self.content == nil ? ofURL : ofURL &+ self.cache.removals(of: self.key)
    }

    /// Stores a response to the request, beside those for other requests to the URL.
    ///
    /// - Parameters:
    ///   - response: The response, with its times.
    ///   - found: The entries that were there when it was asked for.
    ///   - removals: The ``removals`` when it was asked for: what was removed since must not come back.
    func store(_ response: CacheEntry, beside found: Found, since removals: Int) async {
        let (entry, nominated) = self.completed(response)
        let search = self.content == nil ? entry.response.headers["No-Vary-Search"] : nil
        // Before the response: whoever removes what is stored for the URL has to find it.
        if let content = self.content?.description {
            await self.list(query: content, like: entry, since: removals)
        }
        guard !nominated.isEmpty || search != nil || found.base != self.key else {
            return await self.put(entry, at: self.key, since: removals)
        }
        await self.store(entry, nominated, search, beside: found, since: removals)
    }

    /// An entry with whom it is for, and the fields of the request that it depends on.
    private func completed(_ response: CacheEntry) -> (entry: CacheEntry, nominated: [CacheEntry.NominatedField]) {
        let nominated = HTTPVary(response.response.headers).nominated(by: self.fields, self.redaction)
        var record = response.http
        record?.nominated = nominated
        let scope = self.scope.map { CacheEntry.Scope($0) }
        return (response.with(receivedAt: response.receivedAt, scope: scope, http: record), nominated)
    }

    /// Stores a response that is not the only one, or one to requests for other URLs too.
    @inline(never)
    private func store(
        _ entry: CacheEntry, _ nominated: [CacheEntry.NominatedField], _ search: String?, beside found: Found,
        since removals: Int
    ) async {
        let base = self.base(search)
        // Anew: since it was asked for, others may have stored theirs.
        let there = await self.found(at: base) ?? Found(key: base, base: base)
        // It replaces the entry that matched the request, whatever fields that depended on.
        let replaced = [nominated] + [there.entry, found.entry].compactMap { $0?.http?.nominated }
        var others = nominated.isEmpty ? [] : there.variants.filter { !replaced.contains($0.nominated) }
        if let other = there.other, let variant = other.variant, !nominated.isEmpty, !variant.nominated.isEmpty {
            await self.put(other, at: base.variant(variant.nominated), since: removals)
            others = [variant]
        }
        let key = others.isEmpty ? base : base.variant(nominated)
        await self.put(entry, at: key, since: removals)
        if let variant = entry.variant, !others.isEmpty {
            await self.list([variant] + others.prefix(Self.mostVariants - 1), like: entry, at: base, since: removals)
        }
        if let search, base != self.key {
            let index = self.pathKey.searches()
            _ = await self.list(search, first: Self.mostSearches, like: entry, at: index, since: removals)
        }
        // Last: what is removed counts for what is stored after it.
        for dropped in others.dropFirst(Self.mostVariants - 1) {
            try? await self.cache.remove(base.variant(dropped.nominated))
        }
        if found.entry != nil, ![key, base].contains(found.key) { try? await self.cache.remove(found.key) }
    }

    private func list(
        _ variants: [CacheEntry.HTTPRecord.Variant], like entry: CacheEntry, at key: CacheKey, since removals: Int
    ) async {
        let record = CacheEntry.HTTPRecord(respondedAt: entry.storedAt, variants: variants)
        await self.put(entry.list(record, for: entry.scope), at: key, since: removals)
    }

    /// Lists the query among those that are stored for its URL; what is no longer listed is removed.
    @inline(never)
    private func list(query content: String, like entry: CacheEntry, since removals: Int) async {
        let index = self.urlKey.queries()
        for dropped in await self.list(content, first: Self.mostQueries, like: entry, at: index, since: removals) {
            guard let digest = SHA256(digits: dropped.utf8) else { continue }
            for key in await self.keys(of: self.urlKey.query(digest)) { try? await self.cache.remove(key) }
        }
    }

    /// Lists a text first in an index, such as that of the queries for a URL: who removes all has to find it.
    ///
    /// - Returns: The texts that are no longer listed.
    private func list(
        _ text: String, first most: Int, like entry: CacheEntry, at index: CacheKey, since removals: Int
    ) async -> ArraySlice<String> {
        let known = await self.texts(at: index)
        guard known.first != text else { return [] }
        let all = [text] + known.filter { $0 != text }
        let record = CacheEntry.HTTPRecord(respondedAt: entry.storedAt, searches: Array(all.prefix(most)))
        await self.put(entry.list(record, for: nil), at: index, since: removals)
        return all.dropFirst(most)
    }

    /// The texts that are listed in an index, the newest first.
    private func texts(at index: CacheKey) async -> [String] {
        (try? await self.cache.entry(for: index))?.http?.searches ?? []
    }

    private func put(_ entry: CacheEntry, at key: CacheKey, since removals: Int) async {
        guard self.removals == removals else { return }
        _ = await self.cache.store(entry, for: key) { self.removals != removals }
    }

    /// Removes the response that was found for the request: a newer one is not stored.
    func drop(_ found: Found) async {
        if found.entry != nil { try? await self.cache.remove(found.key) }
    }

    /// Removes all that is stored for the URL, or for the query, and what is on its way there.
    ///
    /// - Throws: ``ErrandError`` when the cache refuses, after all others were removed.
    func clear() async throws(ErrandError) {
        var problem: ErrandError?
        self.cache.noteRemoval(of: self.key)
        for base in [self.key] + (await self.others()) {
            for key in await self.keys(of: base) {
                do throws(ErrandError) { try await self.cache.remove(key) } catch { problem = error }
            }
        }
        if let problem { throw problem }
    }

    /// The keys of other entries for the URL: those by rules of `No-Vary-Search`, and those of queries.
    private func others() async -> [CacheKey] {
        guard self.content == nil else { return [] }
        let queries = await self.texts(at: self.urlKey.queries()).compactMap { SHA256(digits: $0.utf8) }
        return await self.texts(at: self.pathKey.searches()).map(self.base) + queries.map(self.urlKey.query)
    }

    /// The keys of a response and all its variants.
    private func keys(of base: CacheKey) async -> [CacheKey] {
        let variants = (try? await self.cache.entry(for: base))?.http?.variants ?? []
        return variants.map { base.variant($0.nominated) } + [base]
    }
}

extension CacheEntry {
    /// The response as what decides sees it.
    var stored: StoredHead {
        StoredHead(
            head: self.response.head, requestedAt: self.storedAt, respondedAt: self.http?.respondedAt ?? self.storedAt)
    }

    /// An entry that says where others are; always in place of what was there, for it lists that.
    fileprivate func list(_ record: CacheEntry.HTTPRecord, for scope: CacheEntry.Scope?) -> CacheEntry {
        self.with(HTTPResponse(status: 300), receivedAt: nil, scope: scope, http: record)
    }

    /// The response as it is listed among others.
    fileprivate var variant: CacheEntry.HTTPRecord.Variant? {
        self.http.map {
            CacheEntry.HTTPRecord.Variant(
                nominated: $0.nominated, tag: EntityTag.tag(of: self.response.headers),
                modified: self.response.headers[HTTPField.Name.lastModified])
        }
    }
}
