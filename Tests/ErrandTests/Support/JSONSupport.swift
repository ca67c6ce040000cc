internal import Errand
internal import ErrandTesting
internal import Foundation

/// Makes JSON values by chance, and changes them.
struct JSONChance {
    private var generator: SplitMix64

    init(seed: UInt64) {
        self.generator = SplitMix64(seed: seed)
    }

    mutating func below(_ bound: Int) -> Int { self.generator.next(below: bound) }

    mutating func value(depth: Int = 5) -> JSONValue {
        switch self.below(depth == 0 ? 5 : 8) {
        case 0: .null
        case 1: .bool(self.below(2) == 0)
        case 2: .number(self.number())
        case 3, 4: .string(self.text())
        case 5, 6:
            .object(
                JSONValue.Members(
                    (0..<self.below(5)).map { _ in (key: self.text(), value: self.value(depth: depth - 1)) }))
        default: .array((0..<self.below(5)).map { _ in self.value(depth: depth - 1) })
        }
    }

    mutating func number() -> JSONValue.Number {
        switch self.below(4) {
        case 0: JSONValue.Number(Int64(bitPattern: self.generator.next()))
        case 1: JSONValue.Number(self.generator.next())
        case 2: JSONValue.Number(self.below(100) - 50)
        default: JSONValue.Number(Double(bitPattern: self.generator.next())) ?? 0
        }
    }

    mutating func text() -> String {
        let pieces = [
            "a", "\"", "\\", "\n", "\u{0}", "\u{1F}", "/", "é", "e\u{301}", "\u{2028}", "😀", "\u{FFFF}", " ", "ж",
            "x.y",
        ]
        return (0..<self.below(6)).map { _ in pieces[self.below(pieces.count)] }.joined()
    }
}

// MARK: - Shapes

extension JSONChance {
    /// A value without `null`, the elements of whose arrays are all alike.
    mutating func regularValue(depth: Int = 4) -> JSONValue {
        switch self.below(depth == 0 ? 3 : 5) {
        case 0: return .bool(true)
        case 1: return .number(self.number())
        case 2: return .string(self.text())
        case 3:
            let members = (0..<1 + self.below(4)).map { _ in
                (key: self.text(), value: self.regularValue(depth: depth - 1))
            }
            return .object(JSONValue.Members(members))
        default: return .array(Array(repeating: self.regularValue(depth: depth - 1), count: 1 + self.below(3)))
        }
    }
}

extension JSONValue.Shape {
    /// The shape of a value that is regular: its members all needed, its elements all like the first.
    init(of value: JSONValue) {
        switch value {
        case .null: self = .any
        case .bool: self = .bool
        case .number: self = .number
        case .string: self = .string
        case .object(let members):
            self.init(members: members.map { (key: $0.key, value: JSONValue.Shape(of: $0.value)) })
        case .array(let elements): self.init(elements: elements.prefix(1).map(JSONValue.Shape.init(of:)))
        }
    }
}

/// A value that differs from another in one place.
struct JSONMutation {
    enum Change: CaseIterable {
        /// A value of another kind stands there.
        case kind
        /// `null` stands there.
        case null
        /// A member is missing.
        case removal
    }

    let change: Change
    let path: JSONValue.Path
    let value: JSONValue
}

extension JSONValue {
    /// All values that differ from this one in one place.
    var mutations: [JSONMutation] {
        let other: JSONValue = if case .string = self { false } else { "other" }
        let here = [(JSONMutation.Change.kind, other), (.null, .null)]
            .map { JSONMutation(change: $0, path: [], value: $1) }
        switch self {
        case .array(let elements):
            return here
                + elements.enumerated().flatMap { index, element in
                    element.mutations.map { mutation in
                        var changed = elements
                        changed[index] = mutation.value
                        return mutation.inside(.index(index), .array(changed))
                    }
                }
        case .object(let members):
            return here
                + members.flatMap { name, member in
                    var without = members
                    without[name] = nil
                    let removal = JSONMutation(change: .removal, path: [.key(name)], value: .object(without))
                    return [removal]
                        + member.mutations.map { mutation in
                            var changed = members
                            changed[name] = mutation.value
                            return mutation.inside(.key(name), .object(changed))
                        }
                }
        default: return here
        }
    }
}

extension JSONMutation {
    fileprivate func inside(_ step: JSONValue.Path.Step, _ value: JSONValue) -> JSONMutation {
        JSONMutation(change: self.change, path: JSONValue.Path([step] + self.path.steps), value: value)
    }
}
