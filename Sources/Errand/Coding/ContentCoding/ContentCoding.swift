internal import CErrandCodings

/// A coding that can be taken off content (RFC 9110 §8.4.1).
enum ContentCoding: String, CaseIterable, Sendable {
    case gzip
    case deflate
    case br
    case zstd

    /// The coding that a name in `Content-Encoding` stands for, in small letters; `nil` for one that is not known, and
    /// where the library for it is not there.
    init?(named name: String) {
        // Old senders say so (RFC 9110 §8.4.1.3).
        guard let coding = Self(rawValue: name == "x-gzip" ? "gzip" : name), coding.isAvailable else { return nil }
        self = coding
    }

    /// The codings whose libraries are there, as a value for `Accept-Encoding`; loads the libraries.
    static let accepted = Self.allCases.filter(\.isAvailable).map(\.rawValue).joined(separator: ", ")

    /// What the libraries call it.
    var number: errand_coding {
        switch self {
        case .gzip: ERRAND_CODING_GZIP
        case .deflate: ERRAND_CODING_DEFLATE
        case .br: ERRAND_CODING_BROTLI
        case .zstd: ERRAND_CODING_ZSTD
        }
    }

    private var isAvailable: Bool { unsafe errand_coding_load(self.number) == nil }
}
