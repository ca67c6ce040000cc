/// Reads spans of time from a command line.
enum TimeSpan {
    /// The longest: a week.
    static let most = 7 * 24 * 3_600

    /// Returns the seconds of a whole number of seconds, minutes or hours, such as 90s, 10m or 1h; `nil` for what is
    /// none, or is longer than ``most``.
    static func seconds(in text: String) -> Int? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (1...Self.most / unit).contains(count)
        else { return nil }
        return count * unit
    }
}
