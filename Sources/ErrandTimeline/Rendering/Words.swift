/// Formats amounts independently of the locale.
enum Words {
    private static let units: [(name: String, nanoseconds: Double)] = [
        ("ns", 1), ("µs", 1e3), ("ms", 1e6), ("s", 1e9),
    ]

    /// Formats a duration with three digits: `850 ns`, `12.3 ms`, `2 min 05 s`, `1 h 02 min`.
    static func duration(_ duration: Duration) -> String {
        guard duration >= .zero else { return "-\(self.duration(.zero - max(duration, .seconds(-Int64.max))))" }
        let nanoseconds = duration / .nanoseconds(1)
        guard nanoseconds < 59.95e9 else { return self.minutes(Int(min(nanoseconds / 1e9, 1e15).rounded())) }
        // A value that would be rounded up to a thousand uses the next unit.
        let unit = self.units.first { nanoseconds < 999.5 * $0.nanoseconds } ?? self.units[self.units.count - 1]
        let value = nanoseconds / unit.nanoseconds
        let decimals = unit.nanoseconds == 1 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
        return "\(self.decimal(value, decimals)) \(unit.name)"
    }

    private static func minutes(_ seconds: Int) -> String {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        guard hours > 0 else { return "\(minutes) min \(self.twoDigits(seconds % 60)) s" }
        return "\(hours) h \(self.twoDigits(minutes)) min"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Formats a size: `512 B`, `1.2 KiB`.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1024 else { return "\(count) B" }
        var (value, unit) = (Double(count) / 1024, 0)
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        while value >= 1023.95, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(self.decimal(value, value >= 99.95 ? 0 : 1)) \(units[unit])"
    }

    /// Formats a count with spaces between thousands: `10 000`.
    static func count(_ count: Int) -> String {
        let digits = Array(String(count.magnitude))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "\u{A0}" }
            text.append(digit)
        }
        return count < 0 ? "-\(text)" : text
    }

    /// Formats a number with the given number of decimals.
    static func decimal(_ value: Double, _ decimals: Int) -> String {
        let scale = decimals == 0 ? 1 : decimals == 1 ? 10 : 100
        // Coordinates and amounts are small; other values must not trap.
        let bounded = value.isFinite ? min(max(value, -1e12), 1e12) : 0
        let scaled = Int((bounded * Double(scale)).rounded())
        let (whole, rest) = (scaled.magnitude / UInt(scale), scaled.magnitude % UInt(scale))
        let sign = scaled < 0 ? "-" : ""
        switch decimals {
        case 0: return "\(sign)\(whole)"
        case 1: return "\(sign)\(whole).\(rest)"
        default: return "\(sign)\(whole).\(self.twoDigits(Int(rest)))"
        }
    }

    /// Formats a coordinate: with at most one decimal, and without it if it is zero.
    static func coordinate(_ value: Double) -> String {
        let text = self.decimal(value, 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
