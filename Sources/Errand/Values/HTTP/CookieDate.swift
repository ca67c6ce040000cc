package import struct Foundation.Date

/// Parses dates of cookies as browsers do, by looking for their parts in any order (RFC 6265 §5.1.1).
///
/// All are in UTC, whatever zone they name, as the algorithm requires. For other dates, see ``HTTPDate``.
package struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    private init() {}

    /// Parses a date; `nil` if a part is missing, or if the date does not exist.
    package static func parse(_ text: String) -> Date? {
        var parts = CookieDate()
        for token in text.utf8.split(whereSeparator: \.delimitsDates) { parts.take(token) }
        return parts.date
    }

    /// Takes a token as the first missing part that it matches.
    private mutating func take(_ token: Substring.UTF8View) {
        if self.time == nil, let time = Self.time(token) {
            self.time = time
        } else if self.day == nil, let day = Self.number(token, digits: 1...2)?.value {
            self.day = day
        } else if self.month == nil, let month = Self.month(token) {
            self.month = month
        } else if self.year == nil, let year = Self.number(token, digits: 2...4)?.value {
            self.year = year < 70 ? year + 2000 : year < 100 ? year + 1900 : year
        }
    }

    private var date: Date? {
        guard let time = self.time, time.hour < 24, time.minute < 60, time.second < 60,
            let day = self.day, let month = self.month, let year = self.year,
            year >= 1601, 1...Self.days(in: month, of: year) ~= day
        else { return nil }
        let days = Self.daysBefore(year: year) + Self.daysBefore(month: month, of: year) + day - 1
        let hours = (days - Self.daysBefore(year: 1970)) * 24 + time.hour
        return Date(timeIntervalSince1970: Double((hours * 60 + time.minute) * 60 + time.second))
    }

    // MARK: - Parts

    /// Returns the leading digits of a token and the rest, if their number is within the limits.
    private static func number(
        _ token: Substring.UTF8View, digits: ClosedRange<Int>
    ) -> (value: Int, rest: Substring.UTF8View)? {
        let number = token.prefix(while: \.isASCIIDigit)
        guard digits ~= number.count else { return nil }
        return (number.reduce(0) { $0 * 10 + Int($1 & 0x0F) }, token[number.endIndex...])
    }

    /// Returns the leading time of a token, as in `23:59:59` and in `1:2:3GMT`; it may be out of range.
    private static func time(_ token: Substring.UTF8View) -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = Self.number(token, digits: 1...2), hour.rest.first == UInt8(ascii: ":"),
            let minute = Self.number(hour.rest.dropFirst(), digits: 1...2), minute.rest.first == UInt8(ascii: ":"),
            let second = Self.number(minute.rest.dropFirst(), digits: 1...2)
        else { return nil }
        return (hour.value, minute.value, second.value)
    }

    /// Returns the month, from 1, whose name the token starts with.
    private static func month(_ token: Substring.UTF8View) -> Int? {
        let name = token.prefix(3).map(\.asciiLowercase)
        return Self.months.firstIndex { $0.utf8.elementsEqual(name) }.map { $0 + 1 }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    // MARK: - The calendar

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: Self.isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func daysBefore(month: Int, of year: Int) -> Int {
        (1..<month).reduce(0) { $0 + Self.days(in: $1, of: year) }
    }

    /// Returns the days of the Gregorian calendar from year 1 up to a year.
    private static func daysBefore(year: Int) -> Int {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400
    }
}

extension UInt8 {
    /// True for a byte that delimits the parts of a date (RFC 6265 §5.1.1).
    fileprivate var delimitsDates: Bool {
        switch self {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}
