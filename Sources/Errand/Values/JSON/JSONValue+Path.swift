extension JSONValue {
    /// The path to a nested value: names of members and positions in arrays.
    ///
    /// ```swift
    /// let path: JSONValue.Path = ["friends", 2, "id"]   // $.friends[2].id
    /// ```
    public struct Path: Sendable, Hashable {
        /// A step of a path.
        public enum Step: Sendable, Hashable {
            /// To the member with this name.
            case key(String)
            /// To the element at this position, from 0.
            case index(Int)
        }

        /// The steps, starting at the outermost value.
        public var steps: [Step]

        /// Creates a path; without steps, it leads to the value itself.
        public init(_ steps: [Step] = []) {
            self.steps = steps
        }
    }
}

extension JSONValue.Path: ExpressibleByArrayLiteral {
    /// Creates a path from its steps.
    public init(arrayLiteral elements: Step...) {
        self.init(elements)
    }
}

extension JSONValue.Path.Step: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// Creates a step into a member.
    public init(stringLiteral value: String) { self = .key(value) }
    /// Creates a step to an element.
    public init(integerLiteral value: Int) { self = .index(value) }
}

extension JSONValue.Path: CustomStringConvertible {
    /// The path in the form of RFC 9535, such as `$.friends[2].id`.
    public var description: String {
        self.steps.reduce(into: "$") { text, step in
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key): text += key.isPlainName ? ".\(key)" : "[\(JSONWriter.quoted(key))]"
            }
        }
    }
}

extension String {
    /// True if RFC 9535 §2.5.1.1 allows the name after a dot.
    fileprivate var isPlainName: Bool {
        guard let first = self.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first) else { return false }
        return self.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: $0 >= 0x80
            }
        }
    }
}

// MARK: - Lookup

extension JSONValue {
    /// The member with a name; `nil` if there is none, or if this is not an object.
    public subscript(key: String) -> JSONValue? { self.object?[key] }

    /// The element at a position, from 0; `nil` if there is none, or if this is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard let values = self.array, values.indices.contains(index) else { return nil }
        return values[index]
    }

    /// The value at a path; `nil` if there is none.
    public subscript(path: JSONValue.Path) -> JSONValue? {
        path.steps.reduce(self as JSONValue?) { value, step in
            switch step {
            case .key(let key): value?[key]
            case .index(let index): value?[index]
            }
        }
    }

    /// The value at a path of steps, as in `value["friends", 2, "id"]`; `nil` if there is none.
    public subscript(steps: JSONValue.Path.Step...) -> JSONValue? { self[JSONValue.Path(steps)] }
}
