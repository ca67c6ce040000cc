#if os(Linux) || os(macOS)
    internal import Dispatch
    internal import Errand
    internal import Foundation

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif

    extension ChildProcess {
        /// What the threads of a child share with its owner.
        final class Core: Sendable {
            private enum Channel: Int {
                case output, errors
            }

            private struct State {
                var process: Process?
                /// What was written, by channel.
                var texts = [Data(), Data()]
                var matches: (@Sendable (String) -> Bool)?
            }

            /// Resumed with what went wrong, or nothing, when it is known whether the program runs.
            let started = Waiter<ProgramError?>()
            /// Resumed with a line that was looked for, or with nothing at the end.
            let found = Waiter<String?>()
            /// Resumed at the end.
            let ended = Waiter<ProgramResult>()

            private let state = Locked(State())
            private let gone = DispatchSemaphore(value: 0)

            // MARK: - The owner's side

            var complaint: String {
                String(decoding: self.state.withLock { $0.texts[Channel.errors.rawValue] }, as: UTF8.self)
            }

            func look(for matches: @escaping @Sendable (String) -> Bool) {
                self.state.withLock { $0.matches = matches }
                self.search()
            }

            func signal(_ number: Int32) {
                // One that has been waited for does not run any more, and its number may be another's.
                self.state.withLock { state in
                    guard let process = state.process, process.isRunning else { return }
                    _ = kill(process.processIdentifier, number)
                }
            }

            func waitUntilGone(for time: DispatchTimeInterval) -> Bool {
                guard self.gone.wait(timeout: .now() + time) == .success else { return false }
                self.gone.signal()
                return true
            }

            // MARK: - The threads' side

            /// Runs a program from its beginning to its end.
            func supervise(_ program: TestProgram, _ arguments: [String]) {
                let process = Self.process(program, arguments)
                let (exit, silence) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                process.terminationHandler = { _ in exit.signal() }
                let (output, errors): (Pipe, Pipe)
                do {
                    (output, errors) = try Self.withSignalsLetThrough { try Self.launch(process) }
                } catch {
                    self.started.resume(ProgramError("\(program.path) could not be started: \(error)"))
                    return self.finish(status: -1)
                }
                self.state.withLock { $0.process = process }
                self.started.resume(nil)
                let reader = Thread {
                    self.read(errors.fileHandleForReading, from: .errors)
                    silence.signal()
                }
                reader.start()
                self.read(output.fileHandleForReading, from: .output)
                silence.wait()
                exit.wait()
                self.finish(status: process.terminationStatus)
            }

            private func finish(status: Int32) {
                let result: ProgramResult = self.state.withLock { state in
                    state.process = nil
                    return ProgramResult(status: status, output: state.texts[0], errors: state.texts[1])
                }
                self.search()
                self.found.resume(nil)
                self.gone.signal()
                self.ended.resume(result)
            }

            private func read(_ handle: FileHandle, from channel: Channel) {
                while true {
                    let data = handle.availableData
                    if data.isEmpty { return }
                    self.state.withLock { $0.texts[channel.rawValue] += data }
                    self.search()
                }
            }

            /// Looks for a whole line in all that was written: there is little before it comes, and nobody looks afterwards.
            private func search() {
                let (matches, texts) = self.state.withLock { ($0.matches, $0.texts) }
                guard let matches else { return }
                for text in texts {
                    let text = String(decoding: text, as: UTF8.self)
                    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                    guard let line = lines.dropLast().map(String.init).first(where: matches) else { continue }
                    self.state.withLock { $0.matches = nil }
                    self.found.resume(line)
                    return
                }
            }

            /// Runs a function with no signal blocked.
            ///
            /// Threads of a pool block most of them, the ones they start do so too, and a child would for ever.
            private static func withSignalsLetThrough<Result>(_ body: () throws -> Result) rethrows -> Result {
                var none = sigset_t()
                var mask = sigset_t()
                unsafe sigemptyset(&none)
                unsafe pthread_sigmask(SIG_SETMASK, &none, &mask)
                defer { unsafe pthread_sigmask(SIG_SETMASK, &mask, nil) }
                return try body()
            }

            /// Starts a process with pipes to read what it writes from.
            ///
            /// One at a time: on Linux a child may inherit what is opened while it is started. It would keep open the pipes
            /// of another child, and what tells Foundation of its end, so that this one seemed to live as long.
            private static func launch(_ process: Process) throws -> (output: Pipe, errors: Pipe) {
                self.launching.lock()
                defer { self.launching.unlock() }
                let (output, errors) = (Pipe(), Pipe())
                process.standardOutput = output
                process.standardError = errors
                try process.run()
                return (output, errors)
            }

            private static let launching = NSLock()

            private static func process(_ program: TestProgram, _ arguments: [String]) -> Process {
                let process = Process()
                let prefix = TestProgram.lifeline.map { [$0.path, "--pdeathsig", "TERM"] } ?? []
                let command = prefix + [program.path] + arguments
                process.executableURL = URL(filePath: command[0])
                process.arguments = Array(command.dropFirst())
                process.standardInput = FileHandle.nullDevice
                // Everything is on this machine.
                process.environment = ProcessInfo.processInfo.environment
                    .filter { !$0.key.lowercased().hasSuffix("_proxy") }
                    .merging(["LC_ALL": "C"]) { $1 }
                return process
            }
        }
    }
#endif
