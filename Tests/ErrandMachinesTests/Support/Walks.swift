import TestEffort
import Testing

/// An invariant that did not hold.
struct Violation: Error, CustomStringConvertible {
    let description: String
}

func hold(_ condition: Bool, _ message: @autoclosure () -> String) throws(Violation) {
    guard condition else { throw Violation(description: message()) }
}

/// Runs a walk for many seeds; the first seed whose walk breaks an invariant is reported.
///
/// A walk answers words for what it came across. Each word that is expected must have been answered at least once, so
/// that a walk which never gets anywhere does not pass.
func overSeeds(
    _ seeds: Range<UInt64> = TestEffort.schedules, reaching expected: Set<String>,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ walk: (inout SplitMix64) throws -> Set<String>
) async {
    var reached = Set<String>()
    for seed in seeds {
        // Lets other tests have the thread between two walks.
        await Task.yield()
        var random = SplitMix64(seed: seed)
        do {
            reached.formUnion(try walk(&random))
        } catch {
            Issue.record("seed \(seed): \(error)", sourceLocation: sourceLocation)
            return
        }
    }
    #expect(expected.subtracting(reached).isEmpty, "no walk got there", sourceLocation: sourceLocation)
}
