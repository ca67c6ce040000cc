internal import ErrandLocks

#if canImport(CErrandCurl)
    internal import CErrandCurl

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// The queue of commands to the loop, from any thread.
    ///
    /// Commands are taken in batches. The loop is woken only while it sleeps: it marks itself as asleep under the same
    /// lock under which it has found the queue empty, so a later command wakes it, and an earlier one keeps it awake.
    final class CurlMailbox: Sendable {
        enum Command {
            case submit(CurlJob)
            case cancel(CurlJob)
            /// The other side of a paused body is ready.
            case unpause(CurlJob)
            /// Asks for the resources of the loop; answered with `nil` when it has ended.
            case count(Waiter<CurlLedger?>)
            case shutdown
        }

        private struct State {
            var commands: [Command] = []
            var isAsleep = false
            /// The error with which commands are refused after the end.
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

        /// Posts a command; returns false if the loop has ended.
        @discardableResult
        func post(_ command: Command) -> Bool {
            self.state.withLock { state in
                guard state.closeReason == nil else { return false }
                state.commands.append(command)
                if state.isAsleep {
                    state.isAsleep = false
                    // Under the lock, so that the descriptor cannot be closed and reused meanwhile.
                    errand_wakeup_signal(self.descriptor)
                }
                return true
            }
        }

        /// True once commands are refused.
        var isClosed: Bool { self.hasEnded.isSet }

        /// The error with which commands are refused, if they are.
        var closeReason: ErrandError? { self.state.withLock { $0.closeReason } }

        // MARK: - From the loop

        /// Moves all commands to an empty list.
        func take(into commands: inout [Command]) {
            self.state.withLock { state in
                state.isAsleep = false
                swap(&state.commands, &commands)
            }
        }

        /// Marks the loop as asleep and returns true if there are no commands; from then on, a command wakes the loop.
        func fallAsleep() -> Bool {
            self.state.withLock { state in
                state.isAsleep = state.commands.isEmpty
                return state.isAsleep
            }
        }

        /// Clears the wake-up event.
        func clearWakeup() {
            errand_wakeup_clear(self.descriptor)
        }

        /// Refuses further commands, and returns the remaining ones.
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
