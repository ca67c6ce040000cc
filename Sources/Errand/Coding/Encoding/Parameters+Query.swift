extension Parameters {
    /// Returns the parameters as a query, or the content of a form: items such as `a=1&b=2`, escaped.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for a value that has no text in this
    ///   style, with its name.
    /// - Complexity: O(*n*) in the length of the result, and O(*n* log *n*) in the number of names if they are sorted.
    public func query(_ style: ParameterEncoding.QueryStyle = .standard) throws(ErrandError) -> String {
        if let function = style.function {
            do {
                return try function(self)
            } catch {
                throw ErrandError(wrapping: error, as: .encodingFailed, "the parameters could not become a query")
            }
        }
        var walk = ParameterWalk(style, QueryOutput(spaces: style.spaces))
        try walk.walk(self)
        return String(decoding: walk.output.bytes, as: UTF8.self)
    }

    /// Returns each leaf with its full name, such as `a[b][]`, unescaped; null has no value.
    ///
    /// A custom function of the style is not used, because it makes queries only.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``.
    package func flattened(
        _ style: ParameterEncoding.QueryStyle = .standard
    ) throws(ErrandError) -> [(name: String, value: String?)] {
        var walk = ParameterWalk(style, PairOutput())
        try walk.walk(self)
        return walk.output.pairs
    }
}

/// Writes a query.
private struct QueryOutput: ParameterOutput {
    let spaceIsPlus: Bool
    private(set) var bytes: [UInt8] = []
    private var isBegun = false

    init(spaces: ParameterEncoding.QueryStyle.Spaces) {
        self.spaceIsPlus = spaces == .plus
        self.bytes.reserveCapacity(256)
    }

    func write(_ part: ParameterPart, to name: inout [UInt8]) {
        switch part {
        case .nothing: break
        case .name(let text): HTTPURL.percentEncode(text, spaceAsPlus: self.spaceIsPlus, to: &name)
        case .bracketed(let text):
            name += "%5B".utf8
            HTTPURL.percentEncode(text, spaceAsPlus: self.spaceIsPlus, to: &name)
            name += "%5D".utf8
        }
    }

    mutating func add(_ container: [UInt8], _ part: ParameterPart, _ value: ParameterText) {
        if self.isBegun { self.bytes.append(UInt8(ascii: "&")) }
        self.isBegun = true
        if !container.isEmpty { self.bytes += container }
        self.write(part, to: &self.bytes)
        switch value {
        case .null: break
        case .single(let text): self.add(text, behind: "=")
        case .list(let texts):
            for (place, text) in texts.enumerated() { self.add(text, behind: place == 0 ? "=" : ",") }
        }
    }

    private mutating func add(_ text: String, behind separator: Unicode.Scalar) {
        self.bytes.append(UInt8(ascii: separator))
        HTTPURL.percentEncode(text, spaceAsPlus: self.spaceIsPlus, to: &self.bytes)
    }
}

/// Collects pairs unchanged.
private struct PairOutput: ParameterOutput {
    private(set) var pairs: [(name: String, value: String?)] = []

    func write(_ part: ParameterPart, to name: inout [UInt8]) {
        switch part {
        case .nothing: break
        case .name(let text): name += text.utf8
        case .bracketed(let text): name += "[\(text)]".utf8
        }
    }

    mutating func add(_ container: [UInt8], _ part: ParameterPart, _ value: ParameterText) {
        var name = container
        self.write(part, to: &name)
        let text: String? =
            switch value {
            case .null: nil
            case .single(let text): text
            case .list(let texts): texts.joined(separator: ",")
            }
        self.pairs.append((String(decoding: name, as: UTF8.self), text))
    }
}
