import TestEffort
import Testing

/// Tests that take seconds of pure work.
///
/// They run one after another, so that the others keep a thread.
@Suite("Long tests of the machines", .serialized, .timeLimit(.minutes(60)), .paced)
enum LongTests {}
