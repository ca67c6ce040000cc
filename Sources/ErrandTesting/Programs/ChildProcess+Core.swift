internal import ErrandLocks

#if os(Linux) || os(macOS)
    internal import Dispatch
    internal import Errand
    internal import Foundation

    extension ChildProcess {
        /// What the threads of a child share with its owner.
        final class Core: Sendable {
            private enum Channel: Int {
                case output, errors
            }

            private struct State {
                /// The number of the program while it runs.
                var number: pid_t?
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
            /// Waited for by whoever stops the child, and signalled by its own thread, which is none of a pool.
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
                self.state.withLock { state in
                    guard let process = state.number else { return }
                    _ = Foundation.kill(process, number)
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
                do throws(ProgramError) {
                    let spawned = try SpawnedProgram(
                        Self.command(program, arguments), environment: Self.environment)
                    self.state.withLock { $0.number = spawned.number }
                    self.started.resume(nil)
                    spawned.read { bytes, areErrors in self.take(bytes, from: areErrors ? .errors : .output) }
                    spawned.waitForEnd()
                    // From here on nobody sends it a signal, and its number may become another's.
                    self.state.withLock { $0.number = nil }
                    self.finish(status: spawned.status())
                } catch {
                    self.started.resume(ProgramError("\(program.path) could not be started: \(error)"))
                    self.finish(status: -1)
                }
            }

            private func finish(status: Int32) {
                let result = self.state.withLock { state in
                    ProgramResult(status: status, output: state.texts[0], errors: state.texts[1])
                }
                self.search()
                self.found.resume(nil)
                self.gone.signal()
                self.ended.resume(result)
            }

            private func take(_ bytes: Data, from channel: Channel) {
                self.state.withLock { $0.texts[channel.rawValue] += bytes }
                self.search()
            }

            /// Looks for a whole line in all that was written: there is little before it comes, and nobody looks
            /// afterwards.
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

            private static func command(_ program: TestProgram, _ arguments: [String]) -> [String] {
                let prefix = TestProgram.lifeline.map { [$0.path, "--pdeathsig", "TERM"] } ?? []
                return prefix + [program.path] + arguments
            }

            /// That of this process without proxies, for everything is on this machine.
            private static let environment = ProcessInfo.processInfo.environment
                .filter { !$0.key.lowercased().hasSuffix("_proxy") }
                .merging(["LC_ALL": "C"]) { $1 }
        }
    }
#endif
