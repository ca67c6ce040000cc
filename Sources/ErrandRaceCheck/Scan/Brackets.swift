/// Matching brackets.
struct Brackets {
    private var ends: [Int: Int] = [:]
    private let count: Int

    /// Matches the brackets of a source; those that are not closed end with the source.
    init(_ tokens: [Token]) {
        self.count = tokens.count
        var open: [Int] = []
        for index in tokens.indices where tokens[index].kind == .punctuation {
            switch tokens[index].text {
            case "(", "[", "{":
                open.append(index)
            case ")", "]", "}":
                guard let start = open.last, Self.partners[tokens[start].text] == tokens[index].text else { continue }
                open.removeLast()
                self.ends[start] = index
            default:
                break
            }
        }
    }

    /// Returns the index of the bracket that closes the one at an index, or of the end of the source.
    func end(of start: Int) -> Int { self.ends[start] ?? self.count }

    private static let partners = ["(": ")", "[": "]", "{": "}"]
}
