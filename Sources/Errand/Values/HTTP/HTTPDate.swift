internal import struct Foundation.Date

/// Parses dates in the three HTTP formats (RFC 9110 §5.6.7).
///
/// Case is ignored, and GMT is the only valid zone (RFC 9111 §4.2): another zone is never read as GMT. An invalid date
/// is `nil`, which for `Expires` means a time in the past.
enum HTTPDate {
    /// The date that determines centuries by default: the beginning of 2026.
    private static let pivot = Date(timeIntervalSince1970: 1_767_225_600)

    /// Parses a date.
    ///
    /// - Parameters:
    ///   - text: The value of a field.
    ///   - now: Determines the century of a two-digit year.
    /// - Returns: The date, or `nil` if the text is invalid.
    static func parse(_ text: String, now: Date = Self.pivot) -> Date? {
        let parts = text.asciiLowercased().parts(at: " ", omittingEmpty: false)
        guard let first = parts.first else { return nil }
        switch parts.count {
        case 6 where first.endsExactly(with: ","):
            return Self.days.contains(String(first.dropLast())) && parts[5] == "gmt"
                ? Self.date(parts[1], parts[2], parts[3], parts[4]) : nil
        case 4:
            let numbers = parts[1].parts(at: "-", omittingEmpty: false)
            guard first.endsExactly(with: ","), Self.longDays.contains(String(first.dropLast())), parts[3] == "gmt",
                numbers.count == 3, let year = Self.year(numbers[2], now: now)
            else { return nil }
            return Self.date(numbers[0], numbers[1], year, parts[2])
        case 5: return Self.days.contains(first) ? Self.date(parts[2], parts[1], parts[4], parts[3]) : nil
        case 6 where parts[2].isEmpty && parts[3].utf8.count == 1:
            return Self.days.contains(first) ? Self.date("0" + parts[3], parts[1], parts[5], parts[4]) : nil
        default: return nil
        }
    }

    private static let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let longDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Returns the year of two digits: one that would be more than 50 years ahead is in the previous century.
    private static func year(_ digits: String, now: Date) -> String? {
        guard digits.utf8.count == 2, let number = Int(digits), number >= 0 else { return nil }
        let current = 1970 + Int(now.bounded.timeIntervalSince1970 / 31_556_952)
        let year = current / 100 * 100 + number
        return "\(year > current + 50 ? year - 100 : year)"
    }

    /// Returns the date of parts with the right lengths; their content is parsed as for cookies, which is more lenient.
    private static func date(_ day: String, _ month: String, _ year: String, _ time: String) -> Date? {
        let clock = time.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard day.utf8.count == 2, month.utf8.count == 3, year.utf8.count == 4, clock.count == 3,
            clock.allSatisfy({ $0.count == 2 }),
            (Array(day.utf8) + Array(year.utf8) + clock.joined()).allSatisfy(\.isASCIIDigit)
        else { return nil }
        // A leap second is read as the second before it.
        return CookieDate.parse(
            "\(day) \(month) \(year) \(time.endsExactly(with: ":60") ? time.dropLast(2) + "59" : time[...])")
    }
}
