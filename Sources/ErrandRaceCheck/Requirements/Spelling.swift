/// Distinguishes misspelled names from different names.
enum Spelling {
    /// Returns whether a name differs from another by one or two wrong letters.
    ///
    /// Swapped letters count as one. A short name may have one wrong letter, and a very short one only a missing or an
    /// additional letter, since each of them is one letter away from many words. The first letter is rarely wrong.
    static func isNear(_ name: String, _ other: String) -> Bool {
        guard name != other, let first = name.utf8.first, let otherFirst = other.utf8.first,
            first | 0x20 == otherFirst | 0x20
        else { return false }
        let one = Array(name.lowercased().utf8)
        let two = Array(other.lowercased().utf8)
        if one == two { return true }
        guard abs(one.count - two.count) <= 2 else { return false }
        let distance = self.distance(one, two)
        if two.count >= 8 { return distance <= 2 }
        return distance == 1 && (two.count > 4 || one.count != two.count || one.sorted() == two.sorted())
    }

    /// The number of letters that are wrong, additional, missing, or swapped with the next one.
    private static func distance(_ one: [UInt8], _ two: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...two.count)
        for i in one.indices {
            var row = [i + 1]
            for j in two.indices {
                var least = min(last[j] + (one[i] == two[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, one[i] == two[j - 1], one[i - 1] == two[j] { least = min(least, before[j - 1] + 1) }
                row.append(least)
            }
            before = last
            last = row
        }
        return last[two.count]
    }
}
