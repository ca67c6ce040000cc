internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

#if canImport(FoundationNetworking)
    /// `URLSessionTransport` passes its part of the conformance suite on Linux, but for a list of exclusions.
    @Suite(.serialized, .timeLimit(.minutes(60)), .paced)
    struct ConformanceURLSessionTests {
        private static let abilities: TransportConformance.Abilities = [
            .receivesFiles, .sendsFiles, .sendsStreams, .decodesContent, .connectsSecurely,
        ]
        /// Those about streams, too: they are refused here because they cannot be held back, but all else has to be
        /// right.
        private static let cases =
            TransportConformance.cases(for: abilities)
            + TransportConformance.cases(for: abilities.union(.receivesStreams))
            .filter { $0.needs.contains(.receivesStreams) }
        private static let excluded = Set(ConformanceExclusions.urlSession.map(\.id))

        private static func exclusions(_ outcome: ConformanceExclusion.Outcome) -> [ConformanceExclusion] {
            ConformanceExclusions.urlSession.filter { $0.outcome == outcome }
        }

        @Test(arguments: cases.filter { !excluded.contains($0.id) })
        func `conforms`(_ one: TransportConformance.Case) async throws {
            try await one.run { ConformanceExclusions.urlSessionTransport(for: one) }
        }

        @Test(arguments: TransportConformance.deadlineCases(for: abilities))
        func `lets deadlines pass`(_ one: TransportConformance.Case) async throws {
            try await one.run { URLSessionTransport() }
        }

        // MARK: - What is excluded

        @Test func `every exclusion is about a case that is meant for it`() {
            let known = Set(Self.cases.map(\.id))
            #expect(Self.excluded.isSubset(of: known))
            #expect(Self.excluded.count == ConformanceExclusions.urlSession.count)
        }

        @Test(arguments: exclusions(.fails))
        func `what is excluded as wrong is wrong`(_ exclusion: ConformanceExclusion) async throws {
            let one = try #require(exclusion.one)
            // A task that begins anew now and then never ends, which is as wrong.
            await #expect(throws: ConformanceFailure.self) {
                try await one.run(within: .seconds(20)) { ConformanceExclusions.urlSessionTransport(for: one) }
            }
        }

        /// The one test here that lets real time pass: nothing else tells that something never comes.
        @Test(arguments: exclusions(.hangs))
        func `what is excluded as hanging hangs`(_ exclusion: ConformanceExclusion) async throws {
            let one = try #require(exclusion.one)
            let failure = await #expect(throws: ConformanceFailure.self) {
                try await one.run(within: .seconds(1)) { ConformanceExclusions.urlSessionTransport(for: one) }
            }
            #expect(failure?.expected == "an end within 1.0 seconds")
        }

        @Test(.enabled(if: TestEffort.isFull, "a process of its own for each"), arguments: exclusions(.traps))
        func `what is excluded as a trap traps`(_ exclusion: ConformanceExclusion) async {
            await #expect(processExitsWith: .failure) { [id = exclusion.id as String] in
                // A wrong answer is no trap: only the end of the process may fail this.
                guard let one = TransportConformance.cases.first(where: { $0.id == id }) else { return }
                try? await one.run { ConformanceExclusions.urlSessionTransport(for: one) }
            }
        }
    }
#endif
