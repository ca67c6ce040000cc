/// The place of a task in the tree of tasks: which child of which child of the body it is.
///
/// Written, the body is `.`; each generation adds the letter of the child, `a` to `y`, with a `z` before it for every 25
/// older children: `b`, `ba` its first child, `zb` the body's 27th child. No place is the beginning of another's.
struct TaskPath: Hashable, Sendable {
    /// For each generation below the body, how many older children there are.
    let ordinals: [Int]

    init(ordinals: [Int]) {
        self.ordinals = ordinals
    }

    /// Reads a place; returns `nil` if the text is none.
    init?(_ text: some StringProtocol) {
        if text == "." {
            self.ordinals = []
            return
        }
        var (ordinals, skipped) = ([] as [Int], 0)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "z"): skipped += 25
            case UInt8(ascii: "a")...UInt8(ascii: "y"):
                ordinals.append(skipped + Int(byte - UInt8(ascii: "a")))
                skipped = 0
            default: return nil
            }
        }
        guard skipped == 0, !ordinals.isEmpty else { return nil }
        self.ordinals = ordinals
    }
}

extension TaskPath: CustomStringConvertible {
    var description: String {
        if self.ordinals.isEmpty { return "." }
        return self.ordinals.map { ordinal in
            let letter = UnicodeScalar(UInt8(ascii: "a") + UInt8(ordinal % 25))
            return String(repeating: "z", count: ordinal / 25) + String(Character(letter))
        }.joined()
    }
}
