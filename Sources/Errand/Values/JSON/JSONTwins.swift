internal import struct Foundation.Data

/// Finds members of an object with different names that Foundation's decoder takes for one, and names for which it
/// takes too long.
///
/// It stores members in a dictionary with keys of type `String`, in which canonically equivalent names are one key.
enum JSONTwins {
    /// Returns the problem with a text and the path of the object; `nil` if there is none.
    static func problem(in value: JSONValue) -> String? {
        Self.find(in: value).map { "at \($0.path) \($0.problem)" }
    }

    private static func find(in value: JSONValue) -> (path: JSONValue.Path, problem: String)? {
        switch value {
        case .object(let members):
            if let problem = members.problemOfNames { return ([], problem) }
            for (name, member) in members {
                if let found = Self.find(in: member, behind: .key(name)) { return found }
            }
        case .array(let values):
            for (index, value) in values.enumerated() {
                if let found = Self.find(in: value, behind: .index(index)) { return found }
            }
        default: break
        }
        return nil
    }

    private static func find(
        in value: JSONValue, behind step: JSONValue.Path.Step
    ) -> (path: JSONValue.Path, problem: String)? {
        Self.find(in: value).map { (JSONValue.Path([step] + $0.path.steps), $0.problem) }
    }
}

extension JSONValue.Members {
    /// A name that has a canonically equivalent one.
    var twin: String? {
        let names = self.names
        guard names.contains(where: { !$0.utf8.allSatisfy { $0 < 0x80 } }) else { return nil }
        var seen: Set<String> = []
        return names.first { !seen.insert($0).inserted }
    }

    /// The problem with a name for Foundation's decoder, if any.
    fileprivate var problemOfNames: String? {
        guard !self.contains(where: \.key.unicodeScalars.hasLongRunOfMarks) else {
            return "a name has more than \(longestRunOfMarks) combining marks in a row"
        }
        return self.twin.map { "\"\($0)\" has a canonically equivalent name, which JSONDecoder takes for the same" }
    }
}
