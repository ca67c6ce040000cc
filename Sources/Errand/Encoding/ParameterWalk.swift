internal import struct Foundation.Date

/// Takes what a walk through parameters comes across.
protocol ParameterOutput {
    /// Writes a part of a name behind the parts before it.
    func write(_ part: String, to name: inout [UInt8])
    /// Writes a bracket, which is not of the name's own, behind the parts before it.
    func write(bracket: UInt8, to name: inout [UInt8])
    /// Takes an item, with no value for null, and with several for those that are separated by commas.
    mutating func add(_ name: [UInt8], _ values: [String]?)
    /// Takes an item.
    mutating func add(_ name: [UInt8], _ value: String)
}

/// Goes through parameters as a style says, and gives every leaf with its full name to an output.
struct ParameterWalk<Output: ParameterOutput> {
    private let style: QueryStyle
    private(set) var output: Output
    /// The name of where the walk is.
    private var name: [UInt8] = []
    private var depth = 0

    init(_ style: QueryStyle, _ output: Output) {
        self.style = style
        self.output = output
        self.name.reserveCapacity(64)
    }

    /// Goes through all parameters.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for a value without a text, and for
    ///   containers nested too deep.
    mutating func walk(_ parameters: Parameters) throws(ErrandError) {
        for item in self.inOrder(parameters.items) {
            self.output.write(item.name, to: &self.name)
            try self.walk(item.value)
            self.name.removeAll(keepingCapacity: true)
        }
    }

    private mutating func walk(_ value: ParameterValue) throws(ErrandError) {
        switch value {
        case .string(let text): self.output.add(self.name, text)
        case .null: self.output.add(self.name, nil)
        case .array(let values): try self.nest { walk throws(ErrandError) in try walk.walk(values) }
        case .set(let values):
            try self.nest { walk throws(ErrandError) in
                for value in values.sortedByText { try walk.walk(value) }
            }
        case .object(let parameters):
            try self.nest { walk throws(ErrandError) in
                for item in walk.inOrder(parameters.items) { try walk.walk(item.value, in: item.name) }
            }
        case .int, .unsigned, .double, .bool, .date: self.output.add(self.name, try self.text(of: value))
        }
    }

    private mutating func walk(_ values: [ParameterValue]) throws(ErrandError) {
        switch self.style.arrays {
        case .brackets: for value in values { try self.walk(value, in: "") }
        case .repeated: for value in values { try self.walk(value) }
        case .indices: for (index, value) in values.enumerated() { try self.walk(value, in: String(index)) }
        case .commas:
            guard !values.isEmpty else { return }
            var texts: [String] = []
            for value in values { texts.append(try self.text(of: value)) }
            self.output.add(self.name, texts)
        }
    }

    /// Goes on inside of brackets.
    private mutating func walk(_ value: ParameterValue, in part: String) throws(ErrandError) {
        let count = self.name.count
        self.output.write(bracket: UInt8(ascii: "["), to: &self.name)
        self.output.write(part, to: &self.name)
        self.output.write(bracket: UInt8(ascii: "]"), to: &self.name)
        try self.walk(value)
        self.name.removeLast(self.name.count - count)
    }

    private mutating func nest(
        _ body: (inout ParameterWalk) throws(ErrandError) -> Void
    ) throws(ErrandError) {
        guard self.depth < ParameterEncoder.depthLimit else {
            throw self.problem("is nested deeper than \(ParameterEncoder.depthLimit)")
        }
        self.depth += 1
        try body(&self)
        self.depth -= 1
    }

    private func inOrder(_ items: [Parameters.Item]) -> [Parameters.Item] {
        guard self.style.order == .sorted, items.count > 1 else { return items }
        // Names are often in order as they are written.
        let isSorted = zip(items, items.dropFirst()).allSatisfy { $0.name <= $1.name }
        return isSorted ? items : items.sorted { $0.name < $1.name }
    }

    // MARK: - Leaves

    private func text(of value: ParameterValue) throws(ErrandError) -> String {
        switch value {
        case .string(let text): return text
        case .int(let number): return String(number)
        case .unsigned(let number): return String(number)
        case .bool(let isTrue):
            if self.style.booleans == .digits { return isTrue ? "1" : "0" }
            return isTrue ? "true" : "false"
        case .double(let number):
            if number.isFinite { return number.shortText }
            guard let text = self.style.nonFiniteNumbers.text(of: number) else { throw self.problem("is \(number)") }
            return text
        case .date(let date): return try self.text(of: date)
        case .null: return ""
        case .array, .set, .object: throw self.problem("contains a container, which has no place between commas")
        }
    }

    private func text(of date: Date) throws(ErrandError) -> String {
        do {
            return try self.text(of: try self.style.dates.value(of: date))
        } catch {
            throw ErrandError(wrapping: error, as: .encodingFailed, "the parameter \(self.shownName) has no text")
        }
    }

    private func problem(_ what: String) -> ErrandError {
        ErrandError(.encodingFailed, "the parameter \(self.shownName) \(what)")
    }

    private var shownName: String {
        let name = String(decoding: self.name, as: UTF8.self)
        return "\"\(HTTPURL.percentDecode(name) ?? name)\""
    }
}
