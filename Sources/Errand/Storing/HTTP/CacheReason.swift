/// One reason for what a cache does, and where that is written.
struct CacheReason: Sendable, Hashable, CustomStringConvertible {
    static let onlyIfCached = CacheReason("only-if-cached: nothing is sent", section: "5.2.1.7")

    let text: String
    /// Such as `RFC 9111 §4.2.1`; empty for what the app says.
    let source: String

    init(_ text: String, _ source: String) {
        self.text = text
        self.source = source
    }

    /// A reason that RFC 9111 has.
    init(_ text: String, section: String) {
        self.init(text, "RFC 9111 §\(section)")
    }

    var description: String { self.source.isEmpty ? self.text : "\(self.text) (\(self.source))" }
}
