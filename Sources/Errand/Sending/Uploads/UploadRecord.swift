/// The stored record of an unfinished upload.
struct UploadRecord: Sendable, Equatable, Codable {
    /// Records of other versions are ignored.
    static let currentVersion = 1

    var version = Self.currentVersion
    /// The digest of the initial request's method and URL.
    let target: String
    /// The upload URL.
    let location: String
    let dialect: UploadDialect
    let length: Int64?
    let source: UploadSource.Identity

    /// Returns the upload URL, if the record is of the same content, URL and protocol.
    ///
    /// An upload that started over https continues over https, whatever the record contains.
    func location(
        for target: String, _ source: UploadSource.Identity, _ dialect: UploadDialect, isSecure: Bool
    ) -> HTTPURL? {
        guard self.version == Self.currentVersion, self.target == target, self.source == source,
            self.dialect.isKin(of: dialect), self.dialect.isKnown,
            let location = (try? HTTPURL(parsing: self.location))?.withoutUserInfo, location.isSecure || !isSecure
        else { return nil }
        return location
    }
}
