package import struct Foundation.Date

extension HTTPResponse.Head {
    /// The delay in `Retry-After` (RFC 9110 §10.2.3), in seconds or as a date.
    ///
    /// Past dates are zero; overflow saturates. An invalid value, such as a date in another zone than GMT, is ignored.
    ///
    /// - Parameter now: The current time by the wall clock, for a response without `Date`; the server's own `Date` is
    ///   used if present, because the local clock may be wrong.
    /// - Returns: The delay, or `nil` if the server sent none.
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
