/// A reason for a decision of the cache, with its source.
struct CacheReason: Sendable, Hashable, CustomStringConvertible {
    static let onlyIfCached = CacheReason("only-if-cached: the request is not sent", section: "5.2.1.7")

    let text: String
    /// For example `RFC 9111 §4.2.1`; empty if the app decides.
    let source: String

    init(_ text: String, _ source: String) {
        self.text = text
        self.source = source
    }

    /// Creates a reason from RFC 9111.
    init(_ text: String, section: String) {
        self.init(text, "RFC 9111 §\(section)")
    }

    var description: String { self.source.isEmpty ? self.text : "\(self.text) (\(self.source))" }
}
