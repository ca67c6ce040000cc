#if os(Linux) || os(macOS)
    package import Dispatch
    internal import Errand
    internal import Foundation

    /// A program that runs beside this process, and never longer.
    ///
    /// It is ended by ``stop()``, when the child is let go of, and, where the `setpriv` program is installed (it comes
    /// with Linux), by the system when this process ends in whatever way. Elsewhere the last is left to whoever runs
    /// the tests.
    ///
    /// Each child has a thread that starts it and stays until it has ended: for the system the parent is a thread.
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
        ///   - program: What to run; it reads nothing.
        ///   - arguments: What it is told.
        /// - Returns: The child, which runs.
        /// - Throws: ``ProgramError`` when it could not be started.
        package static func start(
            _ program: TestProgram, _ arguments: [String]
        ) async throws(ProgramError) -> ChildProcess {
            let core = Core()
            let thread = Thread { core.supervise(program, arguments) }
            thread.name = "child \(program.path)"
            thread.start()
            // Even in a cancelled task, for the thread is on its way; whoever waits next finds out.
            if let problem = await core.started.waitThroughCancellation() ?? nil { throw problem }
            return ChildProcess(core)
        }

        // MARK: - Waiting

        /// Waits for a line of its output or its errors; called at most once.
        ///
        /// - Returns: The first line that matches, or `nil` when it ended first or the task was cancelled.
        package func line(where matches: @escaping @Sendable (String) -> Bool) async -> String? {
            self.core.look(for: matches)
            return await self.core.found.wait() ?? nil
        }

        /// Waits until it ends; called at most once.
        ///
        /// - Returns: How it ended, or `nil` when the task was cancelled.
        package func result() async -> ProgramResult? {
            await self.core.ended.wait()
        }

        /// What it wrote so far to its standard error.
        package var complaint: String { self.core.complaint }

        // MARK: - Ending

        /// Ends it as a crash of the system would, without a chance to do anything more.
        package func kill() {
            self.core.signal(SIGKILL)
            _ = self.core.waitUntilGone(for: .seconds(60))
        }

        /// Ends it and waits until it is gone; does nothing when it is.
        ///
        /// Blocks for the moment that this takes.
        ///
        /// - Parameter time: How long it may take to end by itself.
        package func stop(within time: DispatchTimeInterval = .seconds(5)) {
            self.core.signal(SIGTERM)
            if !self.core.waitUntilGone(for: time) {
                self.core.signal(SIGKILL)
                _ = self.core.waitUntilGone(for: .seconds(5))
            }
        }
    }
#endif
