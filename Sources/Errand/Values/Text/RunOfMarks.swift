/// The maximum number of consecutive combining marks in an external name that Foundation looks up.
///
/// Comparing or hashing a `String` sorts its marks canonically, in quadratic time: a name of a megabyte would take
/// minutes. The Stream-Safe Text Format allows at most 30 (UAX #15 §13).
let longestRunOfMarks = 256

extension Sequence<Unicode.Scalar> {
    /// True if the text has more consecutive combining marks.
    var hasLongRunOfMarks: Bool {
        var count = 0
        for scalar in self {
            count = scalar.value < 0x300 || scalar.properties.canonicalCombiningClass == .notReordered ? 0 : count + 1
            if count > longestRunOfMarks { return true }
        }
        return false
    }
}
