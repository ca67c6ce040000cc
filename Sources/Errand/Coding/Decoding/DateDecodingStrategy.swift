public import Foundation

extension JSONDecoder.DateDecodingStrategy {
    /// Moments as RFC 3339 spells them, such as `2026-01-31T09:30:00Z` and `2026-01-31T10:30:00.25+01:00`.
    ///
    /// With and without a fraction of a second, and with any offset; that is what Errand decodes by default.
    public static var rfc3339: JSONDecoder.DateDecodingStrategy {
        .custom { decoder in
            let container = try decoder.singleValueContainer()
            // Whatever is no text is no date either, and is named as such.
            if let text = try? container.decode(String.self), let date = InternetDate.parse(text) { return date }
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "it is not a date of RFC 3339, such as 2026-01-31T09:30:00Z")
        }
    }
}
