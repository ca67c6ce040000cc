extension JSONValue {
    /// The way to a value inside another: names of members and positions in arrays.
    ///
    /// ```swift
    /// let path: JSONValue.Path = ["friends", 2, "id"]   // $.friends[2].id
    /// ```
    public struct Path: Sendable, Hashable {
        /// One step of the way.
        public enum Step: Sendable, Hashable {
            /// Into the member of this name.
            case key(String)
            /// To the element at this position, from 0.
            case index(Int)
        }

        /// The steps, from the outermost value on.
        public var steps: [Step]

        /// Creates a path; without a step it leads to the value itself.
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
    /// The path as RFC 9535 writes it, such as `$.friends[2].id`.
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
    /// Whether RFC 9535 §2.5.1.1 lets it stand behind a dot.
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
    /// The member of a name; `nil` if there is none, or this is no object.
    public subscript(key: String) -> JSONValue? { self.object?[key] }

    /// The element at a position, from 0; `nil` if there is none, or this is no array.
    public subscript(index: Int) -> JSONValue? {
        guard let values = self.array, values.indices.contains(index) else { return nil }
        return values[index]
    }

    /// The value that a path leads to; `nil` if it leads nowhere.
    public subscript(path: JSONValue.Path) -> JSONValue? {
        path.steps.reduce(self as JSONValue?) { value, step in
            switch step {
            case .key(let key): value?[key]
            case .index(let index): value?[index]
            }
        }
    }

    /// The value that steps lead to, as in `value["friends", 2, "id"]`; `nil` if they lead nowhere.
    public subscript(steps: JSONValue.Path.Step...) -> JSONValue? { self[JSONValue.Path(steps)] }
}
