/// The most combining marks that may follow each other in a name from outside which Foundation looks up.
///
/// To compare or hash a `String` its marks are brought into canonical order, in a time that grows with the square of
/// their number: one name of a megabyte would take minutes. A text in the Stream-Safe Text Format has no more than 30
/// (UAX #15 §13).
let longestRunOfMarks = 256

extension Sequence<Unicode.Scalar> {
    /// Whether more combining marks follow each other than that.
    var hasLongRunOfMarks: Bool {
        var count = 0
        for scalar in self {
            count = scalar.value < 0x300 || scalar.properties.canonicalCombiningClass == .notReordered ? 0 : count + 1
            if count > longestRunOfMarks { return true }
        }
        return false
    }
}
