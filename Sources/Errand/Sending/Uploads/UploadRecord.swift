/// The record of an upload that has not ended, as it is stored.
struct UploadRecord: Sendable, Equatable, Codable {
    /// Records of another version are of no use.
    static let currentVersion = 1

    var version = Self.currentVersion
    /// The digest of the method and the URL that the upload was begun with.
    let target: String
    /// Where the server has it.
    let location: String
    let dialect: UploadDialect
    let length: Int64?
    let source: UploadSource.Identity

    /// Where the upload is, if the record is of one of the same content, to the same URL and by the same protocol.
    ///
    /// What began over https goes on over https, whatever a file says.
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
