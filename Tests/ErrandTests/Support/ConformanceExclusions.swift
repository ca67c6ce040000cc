internal import Errand
internal import ErrandTesting

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

/// A case of the conformance suite that a transport is known not to pass.
struct ConformanceExclusion: Sendable, CustomStringConvertible {
    /// What comes of it.
    enum Outcome: Sendable {
        /// The answer is wrong, each time.
        case fails
        /// The process ends, each time.
        case traps
        /// Nothing comes of it, ever.
        case hangs
    }

    let id: String
    let outcome: Outcome
    /// Why it is so.
    let reason: String

    var description: String { "\(self.id), because \(self.reason)" }

    /// The case.
    var one: TransportConformance.Case? { TransportConformance.cases.first { $0.id == self.id } }
}

#if canImport(FoundationNetworking)
    /// What `URLSessionTransport` does not pass on Linux, where it is not the standard transport for these reasons.
    ///
    /// The list is that of Swift 6.3.1. None of it depends on timing, so a case that is listed has to go on failing:
    /// one that passes with a later Foundation leaves the list.
    enum ConformanceExclusions {
        static let urlSession: [ConformanceExclusion] =
            exclusions(
                .fails, "URLSession's parser of status lines wants a reason, in UTF-8",
                "reason-missing", "reason-any-bytes")
            + exclusions(
                .fails, "URLSession's parser of fields wants a space after the colon, and UTF-8",
                "field-without-space", "field-latin-1")
            + exclusions(
                .fails, "URLSession keeps fields in a dictionary, in which one spelling replaces another",
                "field-set-cookie-any-case")
            + exclusions(
                .fails, "URLSession refuses the line, but what libcurl says of that is that it was used wrongly",
                "field-folded-first")
            + exclusions(
                .fails, "libcurl takes the last of several lengths, and URLSession does not look",
                "length-conflicting", "length-conflicting-downwards")
            + exclusions(
                .fails, "libcurl takes the digits at the beginning of a length, and URLSession does not look",
                "length-conflicting-in-a-list", "length-with-a-plus", "length-number-and-more", "length-hexadecimal")
            + exclusions(
                .fails, "libcurl reads to the end of the connection where a length is too large for it",
                "length-beyond-64-bits")
            + exclusions(
                .fails, "libcurl takes packed content that ends early for whole, and URLSession does not look",
                "gzip-cut-within-its-length", "gzip-cut-in-its-trailer", "gzip-cut-before-a-chunk",
                "gzip-cut-before-the-close", "file-gzip-cut", "stream-gzip-cut", "deflate-cut", "br-cut", "zstd-cut")
            + exclusions(
                .fails, "libcurl says of bytes behind the end of packed content that they could not be written",
                "gzip-and-more", "gzip-and-zeros")
            + exclusions(
                .fails, "URLSession drops the body of a redirection that it could not follow",
                "redirect-without-location", "redirect-location-empty", "redirect-location-no-reference")
            + exclusions(
                .fails,
                "a stream is written into a file before it is sent, so its length is known and all of it is read",
                "sends-stream", "sends-stream-large-chunk", "sends-stream-empty-chunks", "sends-stream-held-back",
                "early-refusal-of-stream", "events-sent-stream")
            + exclusions(
                .fails, "URLSession cannot be held back: a task that is suspended begins anew when it is resumed",
                "stream-held-back")
            + exclusions(
                .hangs, "URLSession keeps its idle connections when it is invalidated",
                "shutdown-idle")
            + exclusions(
                .traps, "URLSession takes it for impossible that libcurl ends a transfer without a head and an error",
                "status-line-only", "head-cut", "head-cut-after-a-line", "interim-cut", "close-race-after-a-byte")
            + exclusions(
                .traps, "URLSession takes trailers for a head, and has no response when it is to begin anew",
                "chunked-trailers", "chunked-trailers-that-frame", "file-chunked", "stream-chunked")
            + exclusions(
                .traps, "URLSession makes a URL of the parts of a Location, and takes it for certain that it can",
                "redirect-location-ipv6", "redirect-location-encoded-host", "redirect-location-encoded-nul")
            + exclusions(
                .traps, "URLSession makes a floating-point number of a length, and cannot make a whole one of it again",
                "length-largest")

        /// The transport for a case; one that has streams where the case is about them.
        static func urlSessionTransport(for one: TransportConformance.Case) -> URLSessionTransport {
            one.needs.contains(.receivesStreams) ? URLSessionTransport(streaming: .unbounded) : URLSessionTransport()
        }

        private static func exclusions(
            _ outcome: ConformanceExclusion.Outcome, _ reason: String, _ ids: String...
        ) -> [ConformanceExclusion] {
            ids.map { ConformanceExclusion(id: $0, outcome: outcome, reason: reason) }
        }
    }
#endif
