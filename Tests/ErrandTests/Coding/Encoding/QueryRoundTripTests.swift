internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Queries: round trips", .timeLimit(.minutes(60)), .paced)
struct QueryRoundTripTests {
    private static let seeds = Array(UInt64(1)...1000)

    @Test(arguments: [
        ParameterEncoding.QueryStyle(arrays: .indices),
        ParameterEncoding.QueryStyle(arrays: .indices, booleans: .words, order: .given, spaces: .plus),
    ])
    func `any tree is read back as it was`(style: ParameterEncoding.QueryStyle) throws {
        var leaves = 0
        for seed in Self.seeds {
            var maker = TreeMaker(seed: seed)
            let tree = maker.object(depth: 4)
            let query = try tree.query(style)
            let read = QueryReader.read(query, plusIsSpace: style.spaces == .plus)
            #expect(read.canonical == tree.asTexts(style).canonical, "seed \(seed): \(query)")
            leaves += query.split(separator: "&").count
        }
        #expect(leaves > 4_000)
    }

    @Test func `a tree without containers in arrays is read back from brackets too`() throws {
        for seed in Self.seeds {
            var maker = TreeMaker(seed: seed, hasFlatArrays: true)
            let tree = maker.object(depth: 4)
            let read = QueryReader.read(try tree.query())
            #expect(read.canonical == tree.asTexts(.standard).canonical, "seed \(seed)")
        }
    }

    @Test func `the reader reads`() {
        #expect(QueryReader.read("a=1&b") == ["a": "1", "b": nil])
        #expect(QueryReader.read("a%5B0%5D=x&a%5B1%5D%5Bb%5D=%26") == ["a": ["x", ["b": "&"]]])
        #expect(QueryReader.read("a[]=1&a[]=2&c=") == ["a": ["1", "2"], "c": ""])
        #expect(QueryReader.read("a+b=c+d", plusIsSpace: true) == ["a b": "c d"])
    }
}

/// Makes trees of parameters from a seed.
///
/// Without empty containers, which are nothing in a query, and without names that look like an index.
private struct TreeMaker {
    private var random: SplitMix64
    private let hasFlatArrays: Bool

    init(seed: UInt64, hasFlatArrays: Bool = false) {
        self.random = SplitMix64(seed: seed)
        self.hasFlatArrays = hasFlatArrays
    }

    mutating func object(depth: Int) -> Parameters {
        var parameters = Parameters()
        for place in 0...self.random.next(below: 4) {
            // The place makes it the only one of its name.
            parameters.append("\(self.text())n\(place)", self.value(depth: depth))
        }
        return parameters
    }

    private mutating func value(depth: Int) -> Parameters.Value {
        switch self.random.next(below: depth > 0 ? 10 : 7) {
        case 0: .int(Int(truncatingIfNeeded: self.random.next()))
        case 1: .double(Double(self.random.next(below: 2_000_001) - 1_000_000) / 64)
        case 2: .bool(self.random.next(below: 2) == 0)
        case 3: .null
        case 4: .unsigned(self.random.next() | 1 << 63)
        case 5, 6: .string(self.text())
        case 7: .object(self.object(depth: depth - 1))
        default: .array(self.array(depth: self.hasFlatArrays ? 0 : depth - 1))
        }
    }

    private mutating func array(depth: Int) -> [Parameters.Value] {
        var values: [Parameters.Value] = []
        for _ in 0...self.random.next(below: 3) { values.append(self.value(depth: depth)) }
        return values
    }

    private mutating func text() -> String {
        var text = ""
        for _ in 0..<self.random.next(below: 6) { text += Self.pieces[self.random.next(below: Self.pieces.count)] }
        return text
    }

    private static let pieces = [
        "a", "Z", "9", "-", ".", "_", "~", "/", "?", " ", "+", "%", "&", "=", "#", "é", "漢", "👩‍👩‍👧", "%41", "\0", "\n",
        "\"", ";", ",", "\u{301}",
    ]
}

extension Parameters {
    /// The tree with texts for leaves.
    fileprivate func asTexts(_ style: ParameterEncoding.QueryStyle) -> Parameters {
        Parameters(self.items.map { ($0.name, $0.value.asText(style)) })
    }

    /// The tree with all names sorted.
    fileprivate var canonical: Parameters {
        Parameters(self.items.sorted { $0.name < $1.name }.map { ($0.name, $0.value.canonical) })
    }
}

extension Parameters.Value {
    fileprivate func asText(_ style: ParameterEncoding.QueryStyle) -> Parameters.Value {
        switch self {
        case .int(let number): .string("\(number)")
        case .unsigned(let number): .string("\(number)")
        case .double(let number):
            .string(number == number.rounded() ? "\(Int(number))" : "\(number)")
        case .bool(let isTrue): .string(style.booleans == .words ? "\(isTrue)" : isTrue ? "1" : "0")
        case .array(let values): .array(values.map { $0.asText(style) })
        case .object(let parameters): .object(parameters.asTexts(style))
        case .string, .null, .date, .set: self
        }
    }

    fileprivate var canonical: Parameters.Value {
        switch self {
        case .array(let values): .array(values.map(\.canonical))
        case .object(let parameters): .object(parameters.canonical)
        default: self
        }
    }
}
