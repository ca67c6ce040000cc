internal import Errand
internal import ErrandLocks

/// Messages of other threads to a server's loop, with the pipe that wakes it.
///
/// Liveness: a post to a mailbox that is not signaled writes a byte; the loop reads the pipe empty before it takes the
/// posts. A post made in between is taken with the others, a later one writes a new byte.
final class LoopbackMailbox: Sendable {
    /// The posts since the mailbox was read last.
    struct Posts {
        var openedGates: [LoopbackGate] = []
        var stops = false
    }

    private struct State {
        var posts = Posts()
        var isSignalled = false
    }

    /// The descriptor that becomes readable after a post.
    let readingEnd: Int32

    private let writingEnd: Int32
    private let state = Locked(State())

    init() throws(LoopbackError) {
        (readingEnd, writingEnd) = try LoopbackSystem.openPipe()
    }

    deinit {
        LoopbackSystem.release(readingEnd)
        LoopbackSystem.release(writingEnd)
    }

    // MARK: - Posting, from any thread

    /// Posts that a gate was opened.
    func post(opened gate: LoopbackGate) {
        post { $0.openedGates.append(gate) }
    }

    /// Posts that the loop must end.
    func postStop() {
        post { $0.stops = true }
    }

    private func post(_ change: (inout Posts) -> Void) {
        let mustSignal = state.withLock { state in
            change(&state.posts)
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
        if mustSignal { LoopbackSystem.signal(writingEnd) }
    }

    // MARK: - Taking, on the loop

    /// Takes all posts, using `buffer` to empty the pipe.
    func take(using buffer: inout [UInt8]) -> Posts {
        _ = LoopbackSystem.receive(from: readingEnd, into: &buffer)
        return state.withLock { state in
            defer { state = State() }
            return state.posts
        }
    }
}
