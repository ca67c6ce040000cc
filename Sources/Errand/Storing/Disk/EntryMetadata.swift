internal import Foundation

/// The stored form of an entry's metadata.
struct EntryMetadata {
    let entry: CacheEntry
    /// The method, the redacted URL, and the host in encoded form.
    ///
    /// Most readers do not need them.
    private let key: ArraySlice<UInt8>

    init(_ entry: CacheEntry, for key: CacheKey) {
        self.entry = entry
        var writer = FieldWriter()
        for text in [key.method.rawValue, key.url.redacted, key.url.host] { writer.write(text) }
        self.key = writer.bytes[...]
    }

    func item(size: Int) throws(FieldReader.Problem) -> CacheEntry.Summary {
        var reader = FieldReader(self.key)
        let method = HTTPMethod(rawValue: try reader.text())
        return CacheEntry.Summary(self.entry, method, url: try reader.text(), host: try reader.text(), size: size)
    }

    /// The encoded metadata.
    var bytes: [UInt8] {
        var writer = FieldWriter()
        writer.write(self.entry.storedAt.timeIntervalSinceReferenceDate.bitPattern)
        for number in [self.entry.version, self.entry.redirects, self.entry.response.status.code] {
            writer.write(UInt64(bitPattern: Int64(number)))
        }
        writer.write(self.entry.scope?.salt)
        writer.write(self.entry.scope?.digest.bytes)
        for text in [self.entry.appVersion, self.entry.tag, self.entry.url?.string] { writer.write(text) }
        writer.write(self.entry.http.map { [$0] } ?? []) { $0.write($1) }
        writer.append(self.key)
        for field in self.entry.response.headers {
            writer.write(field.name)
            writer.write(field.value)
        }
        return writer.bytes
    }

    init(_ bytes: ArraySlice<UInt8>, body: Data) throws(FieldReader.Problem) {
        var reader = FieldReader(bytes)
        let storedAt = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.number()))
        let version = Int(truncatingIfNeeded: try reader.number())
        let redirects = Int(truncatingIfNeeded: try reader.number())
        let status = HTTPStatus(rawValue: Int(truncatingIfNeeded: try reader.number()))
        let (salt, digest) = (try reader.bytesIfAny(), try reader.bytesIfAny().flatMap { SHA256(bytes: $0) })
        let scope = salt.flatMap { salt in digest.map { CacheEntry.Scope(salt: Array(salt), digest: $0) } }
        let (appVersion, tag, url) = (try reader.textIfAny(), try reader.textIfAny(), try reader.textIfAny())
        let answeredBy = try? url.map { try HTTPURL($0).withoutUserInfo }
        let http = try reader.list { reader throws(FieldReader.Problem) in try reader.httpRecord() }.first
        // An entry whose URL or scope is no longer valid is damaged.
        guard (url == nil) == (answeredBy == nil), (salt == nil) == (scope == nil) else { throw FieldReader.Problem() }
        self.key = try reader.skip(fields: 3)
        var fields: [HTTPField] = []
        fields.reserveCapacity(16)
        while !reader.isAtEnd { fields.append(HTTPField(name: try reader.text(), value: try reader.text())) }
        self.entry = CacheEntry(
            response: HTTPResponse(status: status, headers: HTTPFields(fields), body: body), storedAt: storedAt,
            version: version, scope: scope, appVersion: appVersion, tag: tag, url: answeredBy, redirects: redirects,
            http: http)
    }
}

// MARK: - HTTP caching metadata

extension FieldWriter {
    fileprivate mutating func write(_ record: CacheEntry.HTTPRecord) {
        self.write(record.respondedAt.timeIntervalSinceReferenceDate.bitPattern)
        self.write(record.nominated)
        self.write(record.variants) { writer, variant in
            writer.write(variant.nominated)
            for text in [variant.tag, variant.modified] { writer.write(text) }
        }
        self.write(record.searches) { $0.write($1) }
    }

    private mutating func write(_ fields: [CacheEntry.NominatedField]) {
        self.write(fields) { writer, field in
            for text in [field.name, field.value] { writer.write(text) }
        }
    }
}

extension FieldReader {
    fileprivate mutating func httpRecord() throws(Problem) -> CacheEntry.HTTPRecord {
        CacheEntry.HTTPRecord(
            respondedAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: try self.number())),
            nominated: try self.nominated(),
            variants: try self.list { reader throws(Problem) in
                CacheEntry.HTTPRecord.Variant(
                    nominated: try reader.nominated(), tag: try reader.textIfAny(), modified: try reader.textIfAny())
            }, searches: try self.list { reader throws(Problem) in try reader.text() })
    }

    private mutating func nominated() throws(Problem) -> [CacheEntry.NominatedField] {
        try self.list { reader throws(Problem) in
            CacheEntry.NominatedField(name: try reader.text(), value: try reader.textIfAny())
        }
    }
}
