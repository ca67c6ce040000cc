extension Parameters {
    /// Makes a query of the parameters, or the content of a form: items such as `a=1&b=2`, escaped.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for a value that has no text in this
    ///   style, naming it.
    /// - Complexity: O(*n*) in the length of the result, and O(*n* log *n*) in the number of names if they are sorted.
    public func query(_ style: QueryStyle = .standard) throws(ErrandError) -> String {
        if let function = style.function {
            do {
                return try function(self)
            } catch {
                throw ErrandError(wrapping: error, as: .encodingFailed, "the parameters could not be made a query")
            }
        }
        var walk = ParameterWalk(style, QueryOutput(spaces: style.spaces))
        try walk.walk(self)
        return String(decoding: walk.output.bytes, as: UTF8.self)
    }

    /// Answers each leaf with its full name, such as `a[b][]`, neither of them escaped; null has no value.
    ///
    /// A custom function of the style is not asked: it makes queries only.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``.
    package func flattened(
        _ style: QueryStyle = .standard
    ) throws(ErrandError) -> [(name: String, value: String?)] {
        var walk = ParameterWalk(style, PairOutput())
        try walk.walk(self)
        return walk.output.pairs
    }
}

/// Writes a query.
private struct QueryOutput: ParameterOutput {
    let spaces: QueryStyle.Spaces
    private(set) var bytes: [UInt8] = []
    private var isBegun = false

    init(spaces: QueryStyle.Spaces) {
        self.spaces = spaces
        self.bytes.reserveCapacity(256)
    }

    func write(_ part: String, to name: inout [UInt8]) {
        HTTPURL.percentEncode(part, spaceAsPlus: self.spaces == .plus, to: &name)
    }

    func write(bracket: UInt8, to name: inout [UInt8]) {
        name.append(UInt8(ascii: "%"))
        name.append(UInt8(ascii: "5"))
        name.append(bracket == UInt8(ascii: "[") ? UInt8(ascii: "B") : UInt8(ascii: "D"))
    }

    mutating func add(_ name: [UInt8], _ values: [String]?) {
        self.begin(name)
        guard let values else { return }
        for (place, value) in values.enumerated() {
            self.bytes.append(place == 0 ? UInt8(ascii: "=") : UInt8(ascii: ","))
            self.write(value, to: &self.bytes)
        }
    }

    mutating func add(_ name: [UInt8], _ value: String) {
        self.begin(name)
        self.bytes.append(UInt8(ascii: "="))
        HTTPURL.percentEncode(value, spaceAsPlus: self.spaces == .plus, to: &self.bytes)
    }

    private mutating func begin(_ name: [UInt8]) {
        if self.isBegun { self.bytes.append(UInt8(ascii: "&")) }
        self.isBegun = true
        self.bytes += name
    }
}

/// Keeps pairs as they are.
private struct PairOutput: ParameterOutput {
    private(set) var pairs: [(name: String, value: String?)] = []

    func write(_ part: String, to name: inout [UInt8]) {
        name += part.utf8
    }

    func write(bracket: UInt8, to name: inout [UInt8]) {
        name.append(bracket)
    }

    mutating func add(_ name: [UInt8], _ values: [String]?) {
        self.pairs.append((String(decoding: name, as: UTF8.self), values?.joined(separator: ",")))
    }

    mutating func add(_ name: [UInt8], _ value: String) {
        self.pairs.append((String(decoding: name, as: UTF8.self), value))
    }
}
