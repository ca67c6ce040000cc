extension JSONValue {
    /// The required shape of a JSON value, written like the value itself.
    ///
    /// ```swift
    /// let user: Shape = [
    ///     "nick": .string, "level": .number, "avatar": .optional(.string), "friends": [["id": .number]],
    /// ]
    /// ```
    ///
    /// - An object must have each named member, and may have others.
    /// - A member may be `null` whatever its shape, and may be missing if its shape is ``optional(_:)``.
    /// - Each element of an array must match one of the shapes in the brackets; `[]` is any array.
    /// - An element, and the value as a whole, may be `null` only if its shape is ``optional(_:)`` or ``any``.
    public struct Shape: Sendable, Hashable {
        indirect enum Kind: Sendable, Hashable {
            case any, bool, number, string, anyObject
            case object([ExactText: Shape])
            /// Elements that match one of these shapes; any elements if there are none.
            case array([Shape])
            case optional(Shape)
            case oneOf([Shape])
        }

        let kind: Kind

        /// Any value, including `null`.
        public static let any = Shape(kind: .any)
        /// A Boolean.
        public static let bool = Shape(kind: .bool)
        /// A number.
        public static let number = Shape(kind: .number)
        /// A string.
        public static let string = Shape(kind: .string)
        /// An object with any members.
        public static let object = Shape(kind: .anyObject)
        /// An array with any elements.
        public static let array = Shape(kind: .array([]))

        /// Creates the shape of an object, as a literal does; the last one of a repeated name wins.
        public init(members: some Sequence<(key: String, value: Shape)>) {
            self.init(kind: .object(Dictionary(members.map { (ExactText($0.key), $0.value) }) { $1 }))
        }

        /// Creates the shape of an array, as a literal does.
        public init(elements: [Shape]) {
            self.init(kind: .array(elements))
        }

        private init(kind: Kind) {
            self.kind = kind
        }

        /// A member that may be missing, or an element or root value that may be `null`.
        public static func optional(_ shape: Shape) -> Shape {
            Shape(kind: .optional(shape))
        }

        /// A value that matches one of several shapes.
        public static func oneOf(_ shapes: Shape...) -> Shape {
            Shape(kind: .oneOf(shapes))
        }
    }
}

extension JSONValue.Shape: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Creates the shape of an object; the last one of a repeated name wins.
    public init(dictionaryLiteral members: (String, JSONValue.Shape)...) {
        self.init(members: members.map { (key: $0, value: $1) })
    }

    /// Creates the shape of an array.
    public init(arrayLiteral elements: JSONValue.Shape...) {
        self.init(elements: elements)
    }
}

// MARK: - Checking

extension JSONValue.Shape {
    /// A path at which a value does not match, with the reason.
    package struct Mismatch: Sendable, Hashable, CustomStringConvertible {
        package var path: JSONValue.Path
        let expected: String
        let found: String

        package var description: String { "\(self.path): expected \(self.expected), found \(self.found)" }

        fileprivate func under(_ step: JSONValue.Path.Step) -> Mismatch {
            var mismatch = self
            mismatch.path.steps.insert(step, at: 0)
            return mismatch
        }
    }

    /// Checks a value.
    ///
    /// Members are checked in the order of their names, and elements in their order.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/unacceptableShape`` that names the first mismatch, as
    ///   in `$.friends[2].id: expected number, found string`.
    public func check(_ value: JSONValue) throws(ErrandError) {
        if let mismatch = self.mismatch(in: value) { throw ErrandError(.unacceptableShape, "\(mismatch)") }
    }

    package func mismatch(in value: JSONValue) -> Mismatch? {
        switch (self.kind, value) {
        case (.any, _), (.bool, .bool), (.number, .number), (.string, .string), (.anyObject, .object),
            (.optional, .null):
            nil
        case (.object(let shapes), .object(let members)): Self.mismatch(in: members, shapes)
        case (.array(let shapes), .array(let elements)): Self.mismatch(in: elements, shapes)
        case (.optional(let shape), _): shape.mismatch(in: value)
        case (.oneOf(let shapes), _): Self.mismatch(in: value, oneOf: shapes)
        default: Mismatch(path: [], expected: self.name, found: value.kind)
        }
    }

    private static func mismatch(
        in members: JSONValue.Members, _ shapes: [ExactText: JSONValue.Shape]
    ) -> Mismatch? {
        for (key, shape) in shapes.sorted(by: { $0.key < $1.key }) {
            let name = key.string
            switch members[name] {
            case nil where shape.isOptional: continue
            case nil: return Mismatch(path: [.key(name)], expected: shape.name, found: "nothing")
            case JSONValue.null?: continue
            case let value?: if let mismatch = shape.mismatch(in: value) { return mismatch.under(.key(name)) }
            }
        }
        return nil
    }

    private static func mismatch(in elements: [JSONValue], _ shapes: [JSONValue.Shape]) -> Mismatch? {
        guard !shapes.isEmpty else { return nil }
        for (index, element) in elements.enumerated() {
            if let mismatch = self.mismatch(in: element, oneOf: shapes) { return mismatch.under(.index(index)) }
        }
        return nil
    }

    /// Of several shapes, the one of the same kind gives the best description.
    private static func mismatch(in value: JSONValue, oneOf shapes: [JSONValue.Shape]) -> Mismatch? {
        var closest: Mismatch?
        for shape in shapes {
            guard let mismatch = shape.mismatch(in: value) else { return nil }
            if shapes.count == 1 || (!mismatch.path.steps.isEmpty && closest == nil) { closest = mismatch }
        }
        return closest ?? Mismatch(path: [], expected: JSONValue.Shape(kind: .oneOf(shapes)).name, found: value.kind)
    }

    private var isOptional: Bool {
        if case .optional = self.kind { true } else { false }
    }

    /// The kind of a matching value, as text.
    private var name: String {
        switch self.kind {
        case .any: "a value"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .anyObject, .object: "object"
        case .array: "array"
        case .optional(let shape): shape.name
        case .oneOf(let shapes):
            shapes.isEmpty ? "nothing" : shapes.map(\.name).uniqued().joined(separator: " or ")
        }
    }
}
