package import struct Foundation.Date

/// Reads dates of cookies the way that every browser does: by looking for their parts, in any order (RFC 6265 §5.1.1).
///
/// All are in UTC, whatever zone they name: that is the algorithm of the RFC. Other dates are those of ``HTTPDate``.
package struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    private init() {}

    /// Reads a date; `nil` if a part is missing, or the date does not exist.
    package static func parse(_ text: String) -> Date? {
        var parts = CookieDate()
        for token in text.utf8.split(whereSeparator: \.delimitsDates) { parts.take(token) }
        return parts.date
    }

    /// A token is the first part that is still missing and that it looks like.
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

    /// The digits that a token starts with, and what follows them, if there are as many as there may be.
    private static func number(
        _ token: Substring.UTF8View, digits: ClosedRange<Int>
    ) -> (value: Int, rest: Substring.UTF8View)? {
        let number = token.prefix(while: \.isASCIIDigit)
        guard digits ~= number.count else { return nil }
        return (number.reduce(0) { $0 * 10 + Int($1 & 0x0F) }, token[number.endIndex...])
    }

    /// The time that a token starts with, as in `23:59:59` and in `1:2:3GMT`; it need not exist.
    private static func time(_ token: Substring.UTF8View) -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = Self.number(token, digits: 1...2), hour.rest.first == UInt8(ascii: ":"),
            let minute = Self.number(hour.rest.dropFirst(), digits: 1...2), minute.rest.first == UInt8(ascii: ":"),
            let second = Self.number(minute.rest.dropFirst(), digits: 1...2)
        else { return nil }
        return (hour.value, minute.value, second.value)
    }

    /// The month that a token starts with the name of, from 1.
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

    /// The days of the Gregorian calendar from its year 1 up to a year.
    private static func daysBefore(year: Int) -> Int {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400
    }
}

extension UInt8 {
    /// Whether this byte stands between the parts of a date (RFC 6265 §5.1.1).
    fileprivate var delimitsDates: Bool {
        switch self {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}
