internal import struct Foundation.Date

/// A value that a property list does not support: null, or a non-finite number or date.
///
/// Foundation writes a text for null, and numbers that only some readers accept.
struct PropertyListProblem {
    private let what: String
    /// The names and indices of the path, outermost last.
    private var way: [String] = []

    private init(_ what: String) {
        self.what = what
    }

    /// Checks a value for the first of them.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` if there is one, or if arrays and
    ///   objects are nested too deeply.
    static func check(_ value: Parameters.Value) throws(ErrandError) {
        guard let problem = try self.find(in: value, depth: 0) else { return }
        throw ErrandError(
            .encodingFailed, "the value\(problem.place) is \(problem.what), which a property list does not support")
    }

    private var place: String {
        guard let first = self.way.last else { return "" }
        return " at \"\(first)\(self.way.dropLast().reversed().map { "[\($0)]" }.joined())\""
    }

    private static func find(in value: Parameters.Value, depth: Int) throws(ErrandError) -> PropertyListProblem? {
        switch value {
        case .null: return PropertyListProblem("null")
        case .double(let number) where !number.isFinite: return PropertyListProblem("\(number)")
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isFinite:
            return PropertyListProblem("an invalid date")
        case .string, .int, .unsigned, .double, .bool, .date: return nil
        case .array(let values):
            return try self.find(in: values.enumerated().lazy.map { ("\($0)", $1) }, depth)
        case .set(let values):
            return try self.find(in: values.sortedByText.enumerated().lazy.map { ("\($0)", $1) }, depth)
        case .object(let parameters):
            return try self.find(in: parameters.items.lazy.map { ($0.name, $0.value) }, depth)
        }
    }

    private static func find(
        in members: some Sequence<(String, Parameters.Value)>, _ depth: Int
    ) throws(ErrandError) -> PropertyListProblem? {
        guard depth < depthLimit else { throw .nestedTooDeep }
        for (name, value) in members {
            guard var problem = try self.find(in: value, depth: depth + 1) else { continue }
            problem.way.append(name)
            return problem
        }
        return nil
    }
}
