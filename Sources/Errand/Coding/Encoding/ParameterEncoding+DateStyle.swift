public import Foundation

extension ParameterEncoding {
    /// The format of dates in parameters and in JSON.
    public enum DateStyle: Sendable {
        /// A text such as `2026-01-31T09:30:00Z` (RFC 3339), in UTC and truncated to whole seconds.
        case iso8601
        /// A number: seconds since the beginning of 1970, with a fraction if needed.
        case secondsSince1970
        /// An integer: milliseconds since the beginning of 1970, rounded.
        case millisecondsSince1970
        /// The text that a function returns; an error that it throws fails the request.
        case custom(@Sendable (Date) throws -> String)

        /// The range of years with four digits.
        private static let seconds = -62_135_596_800.0..<253_402_300_800.0

        /// Returns the value for a date: a text or a number.
        ///
        /// - Throws: ``DateStyleProblem`` for a date without such a form, and the errors of a function.
        func value(of date: Date) throws -> Parameters.Value {
            let seconds = date.timeIntervalSince1970
            if case .custom(let text) = self { return .string(try text(date)) }
            guard Self.seconds.contains(seconds) else { throw DateStyleProblem() }
            switch self {
            case .iso8601: return .string(InternetDate.text(of: date))
            case .secondsSince1970: return .double(seconds)
            case .millisecondsSince1970: return .int(Int((seconds * 1000).rounded()))
            case .custom(let text): return .string(try text(date))
            }
        }
    }
}

/// The problem of a date outside of the years from 1 to 9999, or an invalid date.
struct DateStyleProblem: Error, CustomStringConvertible {
    var description: String { "a date is not in the years from 1 to 9999" }
}
