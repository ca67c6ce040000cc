/// The status of an upload by a response, in the draft or in tus; what cannot be read is as if it was not there.
struct UploadStatus: Sendable, Hashable {
    /// The number of bytes the server has.
    let offset: Int64?
    /// The number of bytes it expects.
    let length: Int64?
    /// Whether it has all that was announced to come, where it says so.
    let isComplete: Bool?
    /// The most bytes that it takes in one request.
    let appendLimit: Int64?
    /// How long it wants to be left alone (RFC 9110 §10.2.3), where it says so in seconds.
    let retryAfter: Duration?

    init(_ head: HTTPResponse.Head) {
        let fields = head.headers
        self.offset = Self.count(fields.structuredItem("Upload-Offset"))
        self.length = Self.count(fields.structuredItem("Upload-Length"))
        self.isComplete =
            fields.structuredItem("Upload-Complete")?.boolean
            ?? fields.structuredItem("Upload-Incomplete")?.boolean.map { !$0 }
        let limit = Self.count(fields.structuredDictionary("Upload-Limit")?["max-append-size"]?.value)
        self.appendLimit = limit == 0 ? nil : limit
        self.retryAfter = Self.count(fields.structuredItem("Retry-After")).map { .seconds($0) }
    }

    /// A number of bytes or seconds.
    private static func count(_ item: StructuredField.BareItem?) -> Int64? {
        item?.integer.flatMap { $0 >= 0 ? $0 : nil }
    }
}
