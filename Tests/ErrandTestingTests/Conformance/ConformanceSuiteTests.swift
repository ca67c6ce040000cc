internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

/// The suite asks for nothing that cannot be done.
@Suite(.serialized, .timeLimit(.minutes(60)), .paced)
struct ConformanceSuiteTests {
    @Test(arguments: TransportConformance.cases(for: PlainTransport.abilities))
    func `a right transport passes`(_ one: TransportConformance.Case) async throws {
        try await one.run { PlainTransport() }
    }

    @Test(arguments: TransportConformance.deadlineCases(for: PlainTransport.abilities))
    func `a right transport lets deadlines pass`(_ one: TransportConformance.Case) async throws {
        try await one.run { PlainTransport() }
    }
}
