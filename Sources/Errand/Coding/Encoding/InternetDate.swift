internal import Foundation

/// Dates in the format of the internet (RFC 3339 §5.6), by the proleptic Gregorian calendar.
enum InternetDate {
    /// Parses a date; `nil` if the text is invalid.
    ///
    /// A space is accepted for the `T`, and the 60th second of a leap second is the first of the next minute.
    static func parse(_ text: String) -> Date? {
        var rest = text.utf8[...]
        guard let year = rest.takeNumber(4), rest.take("-"), let month = rest.takeNumber(2), rest.take("-"),
            let day = rest.takeNumber(2), rest.take("Tt "),
            let hour = rest.takeNumber(2), rest.take(":"), let minute = rest.takeNumber(2), rest.take(":"),
            let second = rest.takeNumber(2), let fraction = rest.takeFraction(), let offset = rest.takeOffset(),
            rest.isEmpty, (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Self.daysSince1970(year, month, day)
        let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    /// Returns a date in UTC, truncated to whole seconds and clamped to the years from 1 to 9999.
    static func text(of date: Date) -> String {
        let moment = Int(date.bounded.timeIntervalSince1970.rounded(.down))
        // Five eras of 400 years are added to keep the number positive.
        let days = (moment + 5 * Self.daysOfEra * 86_400) / 86_400 - 5 * Self.daysOfEra
        let second = moment - days * 86_400
        let (year, month, day) = Self.date(daysSince1970: days)
        let dayText = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        let timeText = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        return "\(dayText)T\(timeText)Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    // MARK: - The calendar

    /// The number of days in 400 years.
    private static let daysOfEra = 146_097

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        switch month {
        case 2: return isLeap ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Computed with years that start in March, so that the leap day is the last of its year.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // An era is added to keep all numbers positive.
        let years = year + 400 - (month < 3 ? 1 : 0)
        let dayOfYear = (153 * (month < 3 ? month + 9 : month - 3) + 2) / 5 + day - 1
        let days = years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear
        return days - 719_468 - Self.daysOfEra
    }

    /// Returns the year, month and day, as the inverse function.
    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468 + Self.daysOfEra
        let dayOfEra = days % Self.daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / (Self.daysOfEra - 1)) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // Starts at 0 for March.
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + days / Self.daysOfEra * 400 - 400 + (month < 10 ? 0 : 1)
        return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}

extension Substring.UTF8View {
    fileprivate mutating func take(_ accepted: StaticString) -> Bool {
        guard let first = self.first, accepted.description.utf8.contains(first) else { return false }
        self.removeFirst()
        return true
    }

    fileprivate mutating func takeNumber(_ digits: Int) -> Int? {
        let number = self.prefix(digits)
        guard number.count == digits, number.allSatisfy(\.isDigit) else { return nil }
        self.removeFirst(digits)
        return Int(Substring(number))
    }

    /// Takes a point and digits; zero without a point.
    fileprivate mutating func takeFraction() -> Double? {
        guard self.take(".") else { return 0 }
        let digits = self.prefix { $0.isDigit }
        guard !digits.isEmpty else { return nil }
        self.removeFirst(digits.count)
        return Double("0.\(Substring(digits))")
    }

    /// Takes the offset from UTC in minutes.
    fileprivate mutating func takeOffset() -> Int? {
        if self.take("Zz") { return 0 }
        let isNegative = self.first == UInt8(ascii: "-")
        guard self.take("+-"), let hours = self.takeNumber(2), self.take(":"), let minutes = self.takeNumber(2),
            hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isNegative ? -1 : 1)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
