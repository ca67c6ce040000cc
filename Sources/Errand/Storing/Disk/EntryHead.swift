internal import Foundation

/// All of a stored entry but its body.
struct EntryHead {
    let storedAt: Date
    let version: Int
    let scope: CacheScope?
    let appVersion: String?
    let tag: String?
    let method: HTTPMethod
    /// Without what is secret in it.
    let url: String
    let host: String
    /// The URL that answered, where that is another.
    let answeredBy: HTTPURL?
    let redirects: Int
    let response: HTTPResponseHead
    let http: HTTPCacheRecord?

    init(_ entry: CacheEntry, for key: CacheKey) {
        self.storedAt = entry.storedAt
        self.version = entry.version
        self.scope = entry.scope
        self.appVersion = entry.appVersion
        self.tag = entry.tag
        self.method = key.method
        self.url = key.url.redacted
        self.host = key.url.host
        self.answeredBy = entry.url
        self.redirects = entry.redirects
        self.response = entry.response.head
        self.http = entry.http
    }

    func entry(body: Data) -> CacheEntry {
        CacheEntry(
            response: HTTPResponse(head: self.response, body: .bytes(body)), storedAt: self.storedAt,
            version: self.version, scope: self.scope, appVersion: self.appVersion, tag: self.tag, url: self.answeredBy,
            redirects: self.redirects, http: self.http)
    }

    func item(size: Int) -> CacheItem {
        CacheItem(
            method: self.method, url: self.url, host: self.host, tag: self.tag, status: self.response.status,
            storedAt: self.storedAt, size: size,
            http: self.http.map { CacheItem.HTTPItem(self.response, storedAt: self.storedAt, $0) })
    }
}

extension EntryHead {
    /// The head as it is stored.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(self.storedAt.timeIntervalSinceReferenceDate.bitPattern)
        writer.write(Int64(self.version))
        writer.write(UInt8(self.scope == nil ? 0 : 1))
        if let scope {
            writer.write(scope.salt)
            writer.write(scope.digest.bytes)
        }
        writer.write(self.appVersion)
        writer.write(self.tag)
        for text in [self.method.rawValue, self.url, self.host] { writer.write(text) }
        writer.write(self.answeredBy?.string)
        writer.write(Int64(self.redirects))
        writer.write(Int64(self.response.status.code))
        writer.write(UInt32(truncatingIfNeeded: self.response.headers.count))
        for field in self.response.headers {
            writer.write(field.name)
            writer.write(field.value)
        }
        if let http, let record = try? JSONEncoder().encode(http) {
            writer.write(String(decoding: record, as: UTF8.self))
        }
        return writer.bytes
    }

    init(_ bytes: ArraySlice<UInt8>) throws(ByteReader.Problem) {
        var reader = ByteReader(bytes)
        self.storedAt = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.number()))
        self.version = Int(truncatingIfNeeded: try reader.number(Int64.self))
        self.scope = try reader.flag() ? try reader.scope() : nil
        self.appVersion = try reader.optionalText()
        self.tag = try reader.optionalText()
        self.method = HTTPMethod(rawValue: try reader.text())
        self.url = try reader.text()
        self.host = try reader.text()
        // What passed its checksum was a URL; to whom it is none any more it is no answer.
        self.answeredBy = try reader.optionalText().map { (text) throws(ByteReader.Problem) in
            guard let url = try? HTTPURL(text) else { throw ByteReader.Problem() }
            return url
        }
        self.redirects = Int(truncatingIfNeeded: try reader.number(Int64.self))
        let status = HTTPStatus(rawValue: Int(truncatingIfNeeded: try reader.number(Int64.self)))
        var fields: [HTTPField] = []
        // Not made room for: the number is not to be trusted.
        for _ in 0..<(try reader.number(UInt32.self)) {
            fields.append(HTTPField(name: try reader.text(), value: try reader.text()))
        }
        self.http =
            reader.isAtEnd
            ? nil : try? JSONDecoder().decode(HTTPCacheRecord.self, from: Data(try reader.text().utf8))
        guard reader.isAtEnd else { throw ByteReader.Problem() }
        self.response = HTTPResponseHead(status: status, headers: HTTPFields(fields))
    }
}

extension ByteReader {
    fileprivate mutating func scope() throws(Problem) -> CacheScope {
        let salt = Array(try self.take(CacheScope.saltSize))
        guard let digest = SHA256(bytes: try self.take(SHA256.size)) else { throw Problem() }
        return CacheScope(salt: salt, digest: digest)
    }
}
