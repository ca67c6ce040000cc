internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite(.timeLimit(.minutes(60)), .paced)
struct ConformanceListTests {
    private static let all = TransportConformance.cases + TransportConformance.deadlineCases

    @Test func `there are many cases`() {
        #expect(TransportConformance.cases.count > 200)
        #expect(TransportConformance.deadlineCases.count > 10)
    }

    @Test func `each has an id of its own, of small letters, digits and hyphens`() {
        #expect(Set(Self.all.map(\.id)).count == Self.all.count)
        #expect(Self.all.allSatisfy { $0.id.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil })
    }

    @Test func `each has a title that fits on a line`() {
        for one in Self.all {
            #expect((10...120).contains(one.title.count), "\(one)")
            #expect(one.description == "\(one.id): \(one.title)")
        }
    }

    @Test func `none needs what it must not have`() {
        #expect(Self.all.allSatisfy { $0.needs.isDisjoint(with: $0.lacks) })
    }

    @Test func `every case is meant for some transport, and fewer for one that can do less`() {
        let (most, least) = (TransportConformance.cases(for: .all), TransportConformance.cases(for: []))
        #expect(Set(most + least) == Set(TransportConformance.cases))
        #expect(most.allSatisfy { $0.lacks.isEmpty })
        #expect(least.allSatisfy { $0.needs.isEmpty })
        #expect(least.count < most.count)
    }
}
