/// The position of a task in the tree of tasks, as a path of child numbers from the body.
///
/// In text, the body is `.`; each generation adds the letter of the child, `a` to `y`, with a `z` before it for every
/// 25 older children: `b`, `ba` its first child, `zb` the body's 27th child. No path is the beginning of another path's
/// text.
struct TaskPath: Hashable, Sendable {
    /// For each generation below the body, the number of older siblings.
    let ordinals: [Int]

    init(ordinals: [Int]) {
        self.ordinals = ordinals
    }

    /// Parses a path; `nil` if the text is not one.
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
