package import struct Foundation.Date

extension HTTPResponse.Head {
    /// The wait that the server asks for by its `Retry-After` (RFC 9110 §10.2.3), in seconds or as a date.
    ///
    /// A date in the past is no time, and a number that is too large is a very long time. What cannot be read is as if it
    /// was not there, such as a date of another zone than GMT.
    ///
    /// - Parameter now: The moment by the wall clock, for a date in a response that has no `Date` of its own: that of the
    ///   server is not confused by a clock that is wrong.
    /// - Returns: The time, or `nil` where the server does not say.
    package func retryAfter(at now: @autoclosure () -> Date) -> Duration? {
        guard let text = self.headers[HTTPField.Name.retryAfter]?.trimmingFieldWhitespace(), !text.isEmpty else {
            return nil
        }
        if text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            return Duration.seconds(Int64(text) ?? .max).bounded
        }
        guard let date = HTTPDate.parse(text) else { return nil }
        let sent = self.headers[HTTPField.Name.date].flatMap { HTTPDate.parse($0) } ?? now()
        return Duration.seconds(clamping: max(0, date.timeIntervalSince(sent)))
    }
}
