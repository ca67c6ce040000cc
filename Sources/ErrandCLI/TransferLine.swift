/// The progress of one transfer, or of several in sum, as a line for a terminal.
struct TransferLine: Sendable, Hashable {
    /// A short name on one line.
    var name: String
    var bytes: Int64
    /// The total number of bytes, if known.
    var total: Int64?
    /// The rate, if known.
    var bytesPerSecond: Double?

    /// The line, at most as wide as the given number of columns: the name, a bar, the percentage, the bytes, the rate
    /// and the time left.
    func drawn(columns: Int) -> String {
        let numbers = self.numbers
        let room = max(0, columns - 1 - numbers.count)
        guard room >= 10 else { return String("\(self.name) \(numbers)".prefix(max(0, columns - 1))) }
        let width = min(30, room - 1, max(10, room / 2))
        let name = self.name.count > width ? self.name.prefix(width - 1) + "…" : self.name[...]
        return name + String(repeating: " ", count: width - name.count) + self.bar(columns: room - width) + numbers
    }

    /// The bar, or as many spaces.
    private func bar(columns: Int) -> String {
        let width = min(40, columns - 3)
        guard width >= 5, let share = self.share else { return String(repeating: " ", count: columns) }
        let filled = Int(share * Double(width))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
        return " [\(bar)]" + String(repeating: " ", count: columns - width - 3)
    }

    private var share: Double? {
        guard let total = self.total else { return nil }
        return total > 0 ? min(1, max(0, Double(self.bytes) / Double(total))) : 1
    }

    /// The numbers, padded to their maximum widths, so that they do not jump.
    private var numbers: String {
        let share = self.share.map { "\(Int($0 * 100)) %" } ?? ""
        let rate = self.bytesPerSecond.map { "\(Self.size($0))/s" } ?? ""
        return share.padded(to: 6) + Self.size(Double(self.bytes)).padded(to: 12) + rate.padded(to: 14)
            + (self.timeLeft ?? "").padded(to: 9)
    }

    /// The remaining time in hours, minutes and seconds; `nil` if unknown, or days.
    private var timeLeft: String? {
        guard let total = self.total, let rate = self.bytesPerSecond, rate > 0 else { return nil }
        let seconds = (Double(max(0, total - self.bytes)) / rate).rounded(.up)
        guard seconds < 100 * 3600 else { return nil }
        let (minutes, second) = Int(seconds).quotientAndRemainder(dividingBy: 60)
        let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return hours > 0
            ? "\(hours):\(Self.twoDigits(minute)):\(Self.twoDigits(second))" : "\(minute):\(Self.twoDigits(second))"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Formats a number of bytes with one decimal, independently of the locale.
    private static func size(_ bytes: Double) -> String {
        var (number, unit) = (min(max(0, bytes), 1e18), 0)
        while number >= 1023.95 { (number, unit) = (number / 1024, unit + 1) }
        guard unit > 0 else { return "\(Int(number)) B" }
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][unit - 1])"
    }
}
