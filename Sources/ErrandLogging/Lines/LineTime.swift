/// Writes times in RFC 3339 format, in UTC with milliseconds, and caches the last second, which the next line often
/// shares.
struct LineTime {
    private var second = Int.min
    private var digits: [UInt8] = []

    /// The years that have four digits.
    private static let range = -62_167_219_200.0...253_402_300_799.0

    /// Writes a time in seconds since 1970; times outside the years 0 to 9999 are clamped.
    mutating func write(_ time: Double, to bytes: inout [UInt8]) {
        let time = time.isFinite ? min(max(time, Self.range.lowerBound), Self.range.upperBound) : 0
        let milliseconds = Int((time * 1000).rounded(.down))
        let second = milliseconds.floored(by: 1000)
        if second != self.second {
            self.second = second
            self.digits = Self.digits(of: second)
        }
        bytes.append(contentsOf: self.digits)
        bytes.append(UInt8(ascii: "."))
        bytes.append(milliseconds - second * 1000, digits: 3)
        bytes.append(UInt8(ascii: "Z"))
    }

    private static func digits(of second: Int) -> [UInt8] {
        let day = second.floored(by: 86_400)
        let (year, month, dayOfMonth) = Self.date(of: day)
        let time = second - day * 86_400
        var digits: [UInt8] = []
        digits.append(year, digits: 4)
        digits.append("-")
        digits.append(month, digits: 2)
        digits.append("-")
        digits.append(dayOfMonth, digits: 2)
        digits.append("T")
        digits.append(time / 3600, digits: 2)
        digits.append(":")
        digits.append(time / 60 % 60, digits: 2)
        digits.append(":")
        digits.append(time % 60, digits: 2)
        return digits
    }

    /// The date of a day since 1970, computed with years that begin in March, so that a leap day is the last of its
    /// year.
    private static func date(of day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted.floored(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}

extension Int {
    /// The quotient, rounded down.
    fileprivate func floored(by divisor: Int) -> Int {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }
}
