/// What a response says about an upload, in the draft or in tus; what cannot be read is as if it was not there.
struct UploadStatus: Sendable, Hashable {
    /// How many bytes the server has.
    let offset: Int64?
    /// How many bytes it expects.
    let length: Int64?
    /// Whether it has all that was announced to come, where it says so.
    let isComplete: Bool?
    /// The most bytes that it takes in one request.
    let appendLimit: Int64?
    /// How long it wants to be left alone (RFC 9110 §10.2.3), where it says so in seconds.
    let retryAfter: Duration?

    init(_ head: HTTPResponseHead) {
        self.offset = head.headers["Upload-Offset"].flatMap(Self.number)
        self.length = head.headers["Upload-Length"].flatMap(Self.number)
        self.isComplete =
            head.headers["Upload-Complete"].flatMap(Self.boolean)
            ?? head.headers["Upload-Incomplete"].flatMap(Self.boolean).map { !$0 }
        self.appendLimit = head.headers["Upload-Limit"].flatMap(Self.appendLimit)
        self.retryAfter = head.headers["Retry-After"].flatMap(Self.number).map { .seconds($0) }
    }

    /// An integer of structured fields (RFC 9651 §3.3.1) that is not negative.
    private static func number(_ text: String) -> Int64? {
        let digits = Self.item(text)
        // A sign is no digit.
        guard 1...15 ~= digits.count, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        return Int64(digits)
    }

    private static func boolean(_ text: String) -> Bool? {
        switch Self.item(text) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// What stands before the parameters.
    private static func item(_ text: String) -> String {
        String(text.prefix { $0 != ";" }).trimmingFieldWhitespace()
    }

    /// The member of a dictionary that is about one request (RFC 9651 §3.2).
    private static func appendLimit(_ text: String) -> Int64? {
        for member in text.split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1).map { String($0).trimmingFieldWhitespace() }
            if parts.count == 2, parts[0] == "max-append-size" {
                return Self.number(parts[1]).flatMap { $0 > 0 ? $0 : nil }
            }
        }
        return nil
    }
}
