internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

#if os(Linux)
    /// `CurlTransport` passes the whole conformance suite.
    @Suite(.serialized, .timeLimit(.minutes(60)), .paced)
    struct ConformanceCurlTests {
        @Test(arguments: TransportConformance.cases(for: .all))
        func `conforms`(_ one: TransportConformance.Case) async throws {
            try await one.run { CurlTransport() }
        }

        @Test(arguments: TransportConformance.deadlineCases)
        func `lets deadlines pass`(_ one: TransportConformance.Case) async throws {
            try await one.run { CurlTransport() }
        }
    }
#endif
