internal import ErrandTesting
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Caching: header fields that are known already", .timeLimit(.minutes(60)), .paced)
struct KeyFieldsTests {
    private static let redaction = Redaction(secretHeaders: ["X-Own"])
    private static let fields = [CachePolicy.Fields.standard, .standard(without: "X-A"), .only("Accept", "X-A")]
    /// Two of them are the same to who compares texts, and not the same.
    private static let values = ["1", "2", "1, 2", "", "\u{E9}", "e\u{301}"]
    private static let names = ["Accept", "X-A", "x-a", "User-Agent", "Authorization", "X-Own", "X-Api-Key"]

    private func key(
        _ headers: HTTPFields, _ fields: CachePolicy.Fields, isScoped: Bool, _ known: KeyFields
    ) throws -> CacheKey? {
        CacheKey(
            HTTPRequest(url: try HTTPURL("https://api.test/a"), headers: headers), fields: fields,
            redirects: .follow(), known, endpoint: nil, isScoped: isScoped, partition: "")
    }

    @Test(arguments: TestEffort.schedules)
    func `are what they are to who sees them first`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        func pick<Element>(_ elements: [Element]) -> Element { elements[random.next(below: elements.count)] }
        let known = KeyFields(Self.redaction)
        var lists: [HTTPFields] = [[:], ["Accept": "1"]]
        var list = HTTPFields()
        for _ in 0..<60 {
            switch random.next(below: 4) {
            case 0: list = pick(lists)
            case 1: list.append(name: pick(Self.names), value: pick(Self.values))
            case 2: list[pick(Self.names)] = random.next(below: 3) == 0 ? nil : pick(Self.values)
            default: lists.append(list)
            }
            let (fields, isScoped) = (pick(Self.fields), random.next(below: 4) == 0)
            let found = try self.key(list, fields, isScoped: isScoped, known)
            let anew = try self.key(list, fields, isScoped: isScoped, KeyFields(Self.redaction))
            #expect(found == anew && found?.name == anew?.name, "\(list.map { "\($0.name): \($0.value)" })")
        }
    }

    @Test func `are not looked through again while they are the same list`() throws {
        let known = KeyFields(Self.redaction)
        let list: HTTPFields = ["Accept": "a", "X-A": "b"]
        #expect(list.isIdentical(to: list))
        var other = list
        other["X-A"] = "b"
        #expect(other == list && !other.isIdentical(to: list))
        #expect(
            try self.key(list, .standard, isScoped: false, known) == self.key(other, .standard, isScoped: false, known))
    }

    @Test func `are others where they only read the same`() throws {
        let known = KeyFields(Self.redaction)
        let (one, other): (HTTPFields, HTTPFields) = (["X-A": "\u{E9}"], ["X-A": "e\u{301}"])
        #expect(one["X-A"] == other["X-A"])
        #expect(
            try self.key(one, .standard, isScoped: false, known) != self.key(other, .standard, isScoped: false, known))
    }
}
