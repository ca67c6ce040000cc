/// The status of an upload in a response, in the draft or in tus; invalid fields are ignored.
struct UploadStatus: Sendable, Hashable {
    /// The server's offset.
    let offset: Int64?
    /// The length that the server expects.
    let length: Int64?
    /// True if the server has all announced content; `nil` if it does not say so.
    let isComplete: Bool?
    /// The maximum number of bytes in one request.
    let appendLimit: Int64?
    /// The delay before the next request (RFC 9110 §10.2.3), if it is given in seconds.
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

    /// Parses a number of bytes or seconds.
    private static func count(_ item: StructuredField.BareItem?) -> Int64? {
        item?.integer.flatMap { $0 >= 0 ? $0 : nil }
    }
}
