extension Duration {
    /// The duration in nanoseconds, clamped to the range from zero to some hundred years.
    var wholeNanoseconds: Int {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(9_000_000_000)).components
        return Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
