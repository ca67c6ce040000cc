extension Duration {
    /// The duration in nanoseconds; what is more than some hundred years, or negative, is taken as the nearest that is
    /// not.
    var wholeNanoseconds: Int {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(9_000_000_000)).components
        return Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
