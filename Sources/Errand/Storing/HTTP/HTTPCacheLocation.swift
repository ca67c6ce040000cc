internal import struct Foundation.Date

/// The cache entries for one URL and one identity, by the rules of HTTP.
struct HTTPCacheLocation: Sendable {
    private let cache: CacheAccess
    /// The key of the URL.
    private let urlKey: CacheKey
    /// The digest of the content of a `QUERY`.
    private let content: SHA256?
    /// The key of the URL, or of the query to it.
    let key: CacheKey
    /// The fields that identify the sender, and those that select a representation besides the URL.
    private let identity: HTTPFields
    private let partition: String
    /// The request fields used for comparison.
    private let fields: HTTPFields
    /// The scope of the responses, if set by the app.
    private let scope: String?
    private let redaction: Redaction

    /// The maximum number of responses stored for one URL.
    private static let mostVariants = 32
    /// The maximum number of `No-Vary-Search` values considered for one path.
    private static let mostSearches = 4
    /// The maximum number of query contents stored for one URL.
    private static let mostQueries = 64

    init(
        in cache: CacheAccess, for request: HTTPRequest, at url: HTTPURL?, identity: HTTPFields, endpoint: String?,
        partition: String, scope: String?, _ redaction: Redaction
    ) {
        self.cache = cache
        self.urlKey = CacheKey(
            http: (url ?? request.url).addressed(by: request.headers), identity: identity, endpoint: endpoint,
            partition: partition)
        // For another URL than the request's own, all entries stored for the URL are meant.
        self.content = url == nil ? request.queryDigest : nil
        self.key = self.content.map(self.urlKey.query) ?? self.urlKey
        (self.identity, self.partition, self.fields) = (identity, partition, request.headers)
        (self.scope, self.redaction) = (scope, redaction)
    }

    /// The key for all URLs with this path.
    private var pathKey: CacheKey {
        CacheKey(
            http: self.urlKey.url, identity: self.identity, endpoint: self.urlKey.endpoint, partition: self.partition,
            isForPath: true)
    }

    /// The entries found for a request.
    struct Candidates: Sendable {
        /// The entry that matches the request.
        var entry: CacheEntry?
        /// The key of the matching entry.
        var key: CacheKey
        /// The base of the keys of variants.
        var base: CacheKey
        /// The responses stored for the URL; empty if there is a single entry.
        var variants: [CacheEntry.HTTPRecord.Variant] = []
        /// The entry of the URL, if it is a response to other requests.
        var other: CacheEntry?

        /// True if no response is stored for the URL.
        var isEmpty: Bool { self.entry == nil && self.other == nil && self.variants.isEmpty }

        /// The entity tags of all responses stored for the URL.
        var tags: [String] { self.candidates.compactMap(\.tag) }

        /// The responses that a 304 may refer to, beginning with the one that matches the request.
        var candidates: [CacheEntry.HTTPRecord.Variant] {
            let own = [self.entry, self.other].compactMap { $0?.variant }
            return own + self.variants.filter { $0.nominated != own.first?.nominated }
        }
    }

    // MARK: - Lookup

    /// The result for a request without stored responses.
    var nothing: Candidates { Candidates(key: self.key, base: self.key) }

    /// Finds the responses stored for the request.
    ///
    /// - Parameter withRedirections: True if a stored redirection counts as a response, because redirections are not
    ///   followed.
    /// - Returns: The entries found.
    func find(withRedirections: Bool) async -> Candidates {
        var found = await self.find()
        if !withRedirections, found.entry?.response.status.isFollowable == true { found.entry = nil }
        return found
    }

    /// Like `find`, if the entry is available without suspending and is the only response for the URL; `nil` otherwise.
    func findWithoutSuspending(withRedirections: Bool) -> Candidates? {
        guard let entry = self.cache.entryWithoutSuspending(for: self.key).flatMap(self.usable),
            let record = entry.http, record.variants.isEmpty, record.nominated.match(self.fields, self.redaction),
            withRedirections || !entry.response.status.isFollowable
        else { return nil }
        return Candidates(entry: entry, key: self.key, base: self.key)
    }

    private func find() async -> Candidates {
        if let found = await self.found(at: self.key) { return found }
        // A response to another URL may apply to this one. Queries are distinguished by their content instead.
        guard self.content == nil else { return self.nothing }
        for search in await self.texts(at: self.pathKey.searches()) {
            if let found = await self.found(at: self.base(search)) { return found }
        }
        return self.nothing
    }

    private func found(at base: CacheKey) async -> Candidates? {
        guard let entry = await self.load(base) else { return nil }
        var found = Candidates(key: base, base: base)
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

    /// Loads one of several responses stored for the URL.
    func load(_ variant: CacheEntry.HTTPRecord.Variant, of found: Candidates) async -> CacheEntry? {
        for entry in [found.entry, found.other] where entry?.http?.nominated == variant.nominated { return entry }
        return await self.load(found.base.variant(variant.nominated))
    }

    private func load(_ key: CacheKey) async -> CacheEntry? {
        (try? await self.cache.entry(for: key)).flatMap(self.usable)
    }

    /// Returns the entry if it was stored by the rules of HTTP and for this scope.
    private func usable(_ entry: CacheEntry) -> CacheEntry? {
        entry.http != nil && entry.isStored(for: self.scope) ? entry : nil
    }

    // MARK: - Changes

    /// The number of explicit removals.
    ///
    /// One removal may count twice.
    var removals: Int {
        let ofURL = self.cache.removals(of: self.urlKey)
        return self.content == nil ? ofURL : ofURL &+ self.cache.removals(of: self.key)
    }

    /// Stores a response to the request beside those to other requests for the URL.
    ///
    /// - Parameters:
    ///   - response: The response with its times.
    ///   - found: The entries found when the request was made.
    ///   - removals: The ``removals`` when the request was made. Entries removed since then must not come back.
    func store(_ response: CacheEntry, beside found: Candidates, since removals: Int) async {
        let (entry, nominated) = self.completed(response)
        let search = self.content == nil ? entry.response.headers["No-Vary-Search"] : nil
        // Store the index before the response, so that a removal of all entries for the URL finds it.
        if let content = self.content?.description {
            await self.list(query: content, like: entry, since: removals)
        }
        guard !nominated.isEmpty || search != nil || found.base != self.key else {
            return await self.put(entry, at: self.key, since: removals)
        }
        await self.store(entry, nominated, search, beside: found, since: removals)
    }

    /// The entry with its scope, and the request fields that it depends on.
    private func completed(_ response: CacheEntry) -> (entry: CacheEntry, nominated: [CacheEntry.NominatedField]) {
        let nominated = HTTPVary(response.response.headers).nominated(by: self.fields, self.redaction)
        var record = response.http
        record?.nominated = nominated
        let scope = self.scope.map { CacheEntry.Scope($0) }
        return (response.with(receivedAt: response.receivedAt, scope: scope, http: record), nominated)
    }

    /// Stores a response that is one of several, or that also answers requests for other URLs.
    @inline(never)
    private func store(
        _ entry: CacheEntry, _ nominated: [CacheEntry.NominatedField], _ search: String?, beside found: Candidates,
        since removals: Int
    ) async {
        let base = self.base(search)
        // Look up again: other requests may have stored their responses in the meantime.
        let there = await self.found(at: base) ?? Candidates(key: base, base: base)
        // Replaces the entry that matched the request, whatever fields that entry depended on.
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
        // Do this last: a removal affects entries stored after it.
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

    /// Adds the query to the index of its URL, and removes entries that drop out of the index.
    @inline(never)
    private func list(query content: String, like entry: CacheEntry, since removals: Int) async {
        let index = self.urlKey.queries()
        for dropped in await self.list(content, first: Self.mostQueries, like: entry, at: index, since: removals) {
            guard let digest = SHA256(digits: dropped.utf8) else { continue }
            for key in await self.keys(of: self.urlKey.query(digest)) { try? await self.cache.remove(key) }
        }
    }

    /// Moves a text to the front of an index, such as the queries for a URL, so that removing all entries finds it.
    ///
    /// - Returns: The texts that dropped out of the index.
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

    /// The texts in an index, newest first.
    private func texts(at index: CacheKey) async -> [String] {
        (try? await self.cache.entry(for: index))?.http?.searches ?? []
    }

    private func put(_ entry: CacheEntry, at key: CacheKey, since removals: Int) async {
        guard self.removals == removals else { return }
        _ = await self.cache.store(entry, for: key) { self.removals != removals }
    }

    /// Removes the response found for the request, because the newer one is not stored.
    func drop(_ found: Candidates) async {
        if found.entry != nil { try? await self.cache.remove(found.key) }
    }

    /// Removes all entries for the URL or the query, including those being stored.
    ///
    /// - Throws: ``ErrandError`` if the cache refuses, after all others have been removed.
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

    /// The keys of other entries for the URL: those stored under `No-Vary-Search` rules, and those of queries.
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
    /// The response as seen by the cache rules.
    var stored: StoredHead {
        StoredHead(
            head: self.response.head, requestedAt: self.storedAt, respondedAt: self.http?.respondedAt ?? self.storedAt)
    }

    /// An entry that lists other entries.
    ///
    /// It always replaces the existing one, which it includes.
    fileprivate func list(_ record: CacheEntry.HTTPRecord, for scope: CacheEntry.Scope?) -> CacheEntry {
        self.with(HTTPResponse(status: 300), receivedAt: nil, scope: scope, http: record)
    }

    /// The response as an element of a list of variants.
    fileprivate var variant: CacheEntry.HTTPRecord.Variant? {
        self.http.map {
            CacheEntry.HTTPRecord.Variant(
                nominated: $0.nominated, tag: EntityTag.tag(of: self.response.headers),
                modified: self.response.headers[HTTPField.Name.lastModified])
        }
    }
}
