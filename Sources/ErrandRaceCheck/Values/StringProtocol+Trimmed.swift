extension StringProtocol {
    /// The text without white space at both ends.
    var trimmed: String {
        let start = self.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
