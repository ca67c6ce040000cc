public import Foundation

extension JSONDecoder.DateDecodingStrategy {
    /// Dates in the format of RFC 3339, such as `2026-01-31T09:30:00Z` and `2026-01-31T10:30:00.25+01:00`.
    ///
    /// With or without fractional seconds, and with any offset; the default strategy of Errand.
    public static var rfc3339: JSONDecoder.DateDecodingStrategy {
        .custom { decoder in
            let container = try decoder.singleValueContainer()
            // A value that is not a text is reported as an invalid date too.
            if let text = try? container.decode(String.self), let date = InternetDate.parse(text) { return date }
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "it is not a date of RFC 3339, such as 2026-01-31T09:30:00Z")
        }
    }
}
