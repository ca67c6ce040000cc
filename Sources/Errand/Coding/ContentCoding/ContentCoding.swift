internal import CErrandCodings

/// A content coding that can be decoded (RFC 9110 §8.4.1).
enum ContentCoding: String, CaseIterable, Sendable {
    case gzip
    case deflate
    case br
    case zstd

    /// Creates the coding with a name in `Content-Encoding`, in lower case; `nil` if it is unknown, or if its library
    /// is missing.
    init?(named name: String) {
        // An alias of old senders (RFC 9110 §8.4.1.3).
        guard let coding = Self(rawValue: name == "x-gzip" ? "gzip" : name), coding.isAvailable else { return nil }
        self = coding
    }

    /// The codings with available libraries, as a value for `Accept-Encoding`; loads the libraries.
    static let accepted = Self.allCases.filter(\.isAvailable).map(\.rawValue).joined(separator: ", ")

    /// The number of the coding in C.
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
