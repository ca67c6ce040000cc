internal import ErrandLocks

#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import Glibc

    /// The way into the loop from everywhere else.
    ///
    /// Commands are taken in batches. The loop is woken only when it sleeps: it says so under the lock under which it
    /// has seen that there is nothing to do, so whoever posts after that wakes it, and what was posted before keeps it
    /// awake.
    final class CurlMailbox: Sendable {
        enum Command {
            case submit(CurlJob)
            case cancel(CurlJob)
            /// The other side of a paused body is ready again.
            case unpause(CurlJob)
            /// Somebody wants to know what the loop holds; answered with nothing when it has ended.
            case count(Waiter<CurlLedger?>)
            case shutdown
        }

        private struct State {
            var commands: [Command] = []
            var isAsleep = false
            /// Why the loop takes no more commands.
            var closeReason: ErrandError?
        }

        /// Readable while there is a reason to wake up.
        let descriptor: Int32
        private let state = Locked(State())
        private let hasEnded = AtomicFlag()

        init() throws(ErrandError) {
            self.descriptor = errand_wakeup_make()
            guard self.descriptor >= 0 else { throw ErrandError(system: "the transport cannot be started") }
        }

        // MARK: - From anywhere

        /// Posts a command; returns false when the loop has ended.
        @discardableResult
        func post(_ command: Command) -> Bool {
            self.state.withLock { state in
                guard state.closeReason == nil else { return false }
                state.commands.append(command)
                if state.isAsleep {
                    state.isAsleep = false
                    // Under the lock, so that the descriptor cannot be closed and used for something else meanwhile.
                    errand_wakeup_signal(self.descriptor)
                }
                return true
            }
        }

        /// Whether commands are not taken any more.
        var isClosed: Bool { self.hasEnded.isSet }

        /// Why commands are not taken any more.
        var closeReason: ErrandError? { self.state.withLock { $0.closeReason } }

        // MARK: - From the loop

        /// Moves all commands to an empty list.
        func take(into commands: inout [Command]) {
            self.state.withLock { state in
                state.isAsleep = false
                swap(&state.commands, &commands)
            }
        }

        /// Returns whether there is nothing to do; from then on a post wakes the loop.
        func fallAsleep() -> Bool {
            self.state.withLock { state in
                state.isAsleep = state.commands.isEmpty
                return state.isAsleep
            }
        }

        /// Forgets that it was woken.
        func clearWakeup() {
            errand_wakeup_clear(self.descriptor)
        }

        /// Takes no more commands, and returns those that were left.
        func close(_ reason: ErrandError) -> [Command] {
            self.state.withLock { state in
                state.closeReason = reason
                self.hasEnded.set()
                Glibc.close(self.descriptor)
                defer { state.commands = [] }
                return state.commands
            }
        }
    }
#endif
