internal import ErrandLocks

#if os(Linux) || os(macOS)
    internal import Dispatch
    internal import Errand
    internal import Foundation

    extension ChildProcess {
        /// The state that a child's threads share with its owner.
        final class Core: Sendable {
            private enum Channel: Int {
                case output, errors
            }

            private struct State {
                /// The process id while the program runs.
                var number: pid_t?
                /// The output, by channel.
                var texts = [Data(), Data()]
                var matches: (@Sendable (String) -> Bool)?
            }

            /// Resumed once the program has started, or with the error that prevented it.
            let started = Waiter<ProgramError?>()
            /// Resumed with the first matching line, or with `nil` at the end.
            let found = Waiter<String?>()
            /// Resumed at the end.
            let ended = Waiter<ProgramResult>()

            private let state = Locked(State())
            /// Signaled by the child's thread, which belongs to no pool, when the program has ended; stopping waits for
            /// it.
            private let gone = DispatchSemaphore(value: 0)

            // MARK: - Called by the owner

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

            // MARK: - Called by the threads

            /// Runs a program until it ends.
            func supervise(_ program: TestProgram, _ arguments: [String]) {
                do throws(ProgramError) {
                    let spawned = try SpawnedProgram(
                        Self.command(program, arguments), environment: Self.environment)
                    self.state.withLock { $0.number = spawned.number }
                    self.started.resume(nil)
                    spawned.read { bytes, areErrors in self.take(bytes, from: areErrors ? .errors : .output) }
                    spawned.waitForEnd()
                    // From here on no signal is sent, and the process id may be reused.
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

            /// Searches all output for a complete line that matches; called only until one is found.
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

            /// The environment of this process without proxies, since all servers are local.
            private static let environment = ProcessInfo.processInfo.environment
                .filter { !$0.key.lowercased().hasSuffix("_proxy") }
                .merging(["LC_ALL": "C"]) { $1 }
        }
    }
#endif
