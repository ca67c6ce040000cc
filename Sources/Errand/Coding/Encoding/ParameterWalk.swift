internal import struct Foundation.Date

/// Receives the leaves of a walk through parameters.
protocol ParameterOutput {
    /// Appends a part of a name to the previous parts.
    func write(_ part: ParameterPart, to name: inout [UInt8])
    /// Takes a leaf; without a text it is null, and several texts are separated by commas.
    mutating func add(_ container: [UInt8], _ part: ParameterPart, _ value: ParameterText)
}

/// A part of the name of a parameter.
enum ParameterPart {
    /// Empty, for elements with the name of their container.
    case nothing
    /// A top-level name.
    case name(String)
    /// A name in brackets.
    case bracketed(String)
}

/// The value of a parameter as text.
enum ParameterText {
    case null
    case single(String)
    case list([String])
}

/// Walks through parameters in a style, and passes every leaf with its full name to an output.
struct ParameterWalk<Output: ParameterOutput> {
    private let style: ParameterEncoding.QueryStyle
    private(set) var output: Output
    /// The name of the current container.
    private var name: [UInt8] = []
    private var depth = 0

    init(_ style: ParameterEncoding.QueryStyle, _ output: Output) {
        self.style = style
        self.output = output
    }

    /// Walks through all parameters.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for a value without a text, and for
    ///   containers nested too deeply.
    mutating func walk(_ parameters: Parameters) throws(ErrandError) {
        for item in self.inOrder(parameters.items) { try self.walk(item.value, .name(item.name)) }
    }

    private mutating func walk(_ value: Parameters.Value, _ part: ParameterPart) throws(ErrandError) {
        switch value {
        case .string(let text): self.output.add(self.name, part, .single(text))
        case .null: self.output.add(self.name, part, .null)
        case .int(let number): self.output.add(self.name, part, .single(String(number)))
        case .array, .set, .object: try self.enter(value, part)
        case .unsigned, .double, .bool, .date: self.output.add(self.name, part, .single(try self.text(of: value, part)))
        }
    }

    private mutating func enter(_ container: Parameters.Value, _ part: ParameterPart) throws(ErrandError) {
        guard self.depth < depthLimit else {
            throw self.problem("is nested deeper than \(depthLimit)", part)
        }
        let count = self.name.count
        self.depth += 1
        self.output.write(part, to: &self.name)
        switch container {
        case .array(let values): try self.walk(values)
        case .set(let values): for value in values.sortedByText { try self.walk(value, .nothing) }
        case .object(let parameters):
            for item in self.inOrder(parameters.items) { try self.walk(item.value, .bracketed(item.name)) }
        case .string, .int, .unsigned, .double, .bool, .date, .null: break
        }
        self.name.removeLast(self.name.count - count)
        self.depth -= 1
    }

    private mutating func walk(_ values: [Parameters.Value]) throws(ErrandError) {
        switch self.style.arrays {
        case .brackets: for value in values { try self.walk(value, .bracketed("")) }
        case .repeated: for value in values { try self.walk(value, .nothing) }
        case .indices: for (index, value) in values.enumerated() { try self.walk(value, .bracketed(String(index))) }
        case .commas:
            guard !values.isEmpty else { return }
            var texts: [String] = []
            for value in values { texts.append(try self.text(of: value, .nothing)) }
            self.output.add(self.name, .nothing, .list(texts))
        }
    }

    private func inOrder(_ items: [Parameters.Item]) -> [Parameters.Item] {
        guard self.style.order == .sorted, items.count > 1 else { return items }
        // Names are often already sorted. Compared by index, because copying each item takes longer.
        let isSorted = items.indices.dropFirst().allSatisfy { items[$0 - 1].name <= items[$0].name }
        return isSorted ? items : items.sorted { $0.name < $1.name }
    }

    // MARK: - Leaves

    private func text(of value: Parameters.Value, _ part: ParameterPart) throws(ErrandError) -> String {
        switch value {
        case .string(let text): return text
        case .int(let number): return String(number)
        case .unsigned(let number): return String(number)
        case .bool(let isTrue):
            if self.style.booleans == .digits { return isTrue ? "1" : "0" }
            return isTrue ? "true" : "false"
        case .double(let number):
            if number.isFinite { return number.shortText }
            if let text = self.style.nonFiniteNumbers.text(of: number) { return text }
            throw self.problem("is \(number)", part)
        case .date(let date): return try self.text(of: date, part)
        case .null: return ""
        case .array, .set, .object: throw self.problem("contains a container, which commas cannot separate", part)
        }
    }

    private func text(of date: Date, _ part: ParameterPart) throws(ErrandError) -> String {
        do {
            return try self.text(of: try self.style.dates.value(of: date), part)
        } catch {
            throw ErrandError(
                wrapping: error, as: .encodingFailed, "the parameter \(self.shownName(part)) has no text")
        }
    }

    private func problem(_ what: String, _ part: ParameterPart) -> ErrandError {
        ErrandError(.encodingFailed, "the parameter \(self.shownName(part)) \(what)")
    }

    private func shownName(_ part: ParameterPart) -> String {
        var bytes = self.name
        self.output.write(part, to: &bytes)
        let name = String(decoding: bytes, as: UTF8.self)
        return "\"\(HTTPURL.percentDecode(name) ?? name)\""
    }
}
