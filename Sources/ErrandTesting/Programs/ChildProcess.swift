#if os(Linux) || os(macOS)
    package import Dispatch
    internal import Errand
    internal import Foundation

    /// A program that runs beside this process, and never outlives it.
    ///
    /// It is ended by ``stop()``, when the child is released, and, where the `setpriv` program is installed (it comes
    /// with Linux), by the system when this process ends for any reason. Elsewhere the user has to end it in that last
    /// case.
    ///
    /// Each child has a thread that starts it and stays until it has ended, since to the system the parent is a thread.
    package final class ChildProcess: Sendable {
        private let core: Core

        private init(_ core: Core) {
            self.core = core
        }

        deinit {
            self.stop()
        }

        /// Starts a program.
        ///
        /// - Parameters:
        ///   - program: The program; its standard input is empty.
        ///   - arguments: The arguments.
        /// - Returns: The running child.
        /// - Throws: ``ProgramError`` if it could not be started.
        package static func start(
            _ program: TestProgram, _ arguments: [String]
        ) async throws(ProgramError) -> ChildProcess {
            let core = Core()
            let thread = Thread { core.supervise(program, arguments) }
            thread.name = "child \(program.path)"
            thread.start()
            // Waits even in a cancelled task, since the thread is starting; the next wait sees the cancellation.
            if let problem = await core.started.waitThroughCancellation() ?? nil { throw problem }
            return ChildProcess(core)
        }

        // MARK: - Waiting

        /// Waits for a line of its output or its errors; can be called at most once.
        ///
        /// - Returns: The first line that matches, or `nil` if the program ended first or the task was cancelled.
        package func line(where matches: @escaping @Sendable (String) -> Bool) async -> String? {
            self.core.look(for: matches)
            return await self.core.found.wait() ?? nil
        }

        /// Waits until it ends; can be called at most once.
        ///
        /// - Returns: The result, or `nil` if the task was cancelled.
        package func result() async -> ProgramResult? {
            await self.core.ended.wait()
        }

        /// Its standard error so far.
        package var complaint: String { self.core.complaint }

        // MARK: - Ending

        /// Kills it, so that it cannot clean up.
        package func kill() {
            self.core.signal(SIGKILL)
            _ = self.core.waitUntilGone(for: .seconds(60))
        }

        /// Ends it and waits until it has ended; does nothing if it has.
        ///
        /// Blocks the thread for that time.
        ///
        /// - Parameter time: The time that it may take to end by itself.
        package func stop(within time: DispatchTimeInterval = .seconds(5)) {
            self.core.signal(SIGTERM)
            if !self.core.waitUntilGone(for: time) {
                self.core.signal(SIGKILL)
                _ = self.core.waitUntilGone(for: .seconds(5))
            }
        }
    }
#endif
