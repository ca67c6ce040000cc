/// Parses time spans on a command line.
enum TimeSpan {
    /// The longest: a week.
    static let most = 7 * 24 * 3_600

    /// Returns the number of seconds in a text such as 90s, 10m or 1h; `nil` if the text is invalid, or longer than
    /// ``most``.
    static func seconds(in text: String) -> Int? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (1...Self.most / unit).contains(count)
        else { return nil }
        return count * unit
    }
}
