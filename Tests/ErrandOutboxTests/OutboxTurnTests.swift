#if os(Linux)
    internal import ErrandLocks
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @testable internal import Errand
    @testable internal import ErrandOutbox

    @Suite("The outbox: whose turn it is (G19)", .timeLimit(.minutes(60)), .paced)
    struct OutboxTurnTests {
        /// Runs the jobs of a task one at a time, as a test says.
        private final class SteppedExecutor: TaskExecutor {
            private struct State {
                var jobs: [UnownedJob] = []
                var isFree = false
            }

            private let state = Locked(State())
            private let queue = DispatchQueue(label: "one at a time")

            func enqueue(_ job: consuming ExecutorJob) {
                let job = UnownedJob(job)
                let isFree = self.state.withLock { state in
                    if !state.isFree { state.jobs.append(job) }
                    return state.isFree
                }
                if isFree { self.run(job) }
            }

            /// Runs the job that came first; returns whether there was one.
            func step() -> Bool {
                guard let job = self.state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else {
                    return false
                }
                self.run(job)
                return true
            }

            /// Whether there is a job to run.
            var isWaiting: Bool { self.state.withLock { !$0.jobs.isEmpty } }

            /// Runs all, from now on.
            func free() {
                let jobs = self.state.withLock { state in
                    state.isFree = true
                    defer { state.jobs = [] }
                    return state.jobs
                }
                for job in jobs { self.run(job) }
            }

            private func run(_ job: UnownedJob) {
                self.queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
            }
        }

        private let world: OutboxWorld

        init() throws {
            self.world = try OutboxWorld()
        }

        /// Writes a request into the folder, and sends nothing.
        private func write(_ text: String) async throws {
            let client = self.world.client()
            await client.shutdown()
            let outbox = try await self.world.open(client)
            try await outbox.add(Post(text))
            await outbox.close()
        }

        private func core(_ client: Client) throws -> OutboxCore {
            OutboxCore(try OutboxFolder(self.world.folder), client, OutboxOptions()) { [world] item, end in
                world.ends.withLock { $0.append((item, end)) }
            }
        }

        /// Has one sender take so many steps; then something is added, of which another sender finds that it is its turn or
        /// not; then the first one goes on.
        ///
        /// - Returns: Whether the first one had steps to take after that.
        private func meet(after steps: Int) async throws -> Bool {
            try await self.write("1")
            let (executor, client, otherClient) = (SteppedExecutor(), self.world.client(), self.world.client())
            let (core, otherCore) = (try self.core(client), try self.core(otherClient))
            let sender = Task(executorPreference: executor) { await QueueSender("default", core).run() }
            func hasNothingToDo() -> Bool { client.environment.waitingCount == 1 }
            for _ in 0..<steps { await self.world.until { executor.step() || hasNothingToDo() } }
            await self.world.until { executor.isWaiting || hasNothingToDo() }
            let isUnderWay = !hasNothingToDo()
            try await self.write("2")
            let other = Task { await QueueSender("default", otherCore).run() }
            await self.world.until { otherClient.environment.waitingCount == 1 }
            executor.free()
            await self.world.until { hasNothingToDo() }
            // No time has passed: what nobody looks for now stays for half a minute.
            #expect(self.world.endCount == 2, "after \(steps) steps")
            for task in [sender, other] { task.cancel() }
            for task in [sender, other] { await task.value }
            return isUnderWay
        }

        @Test func `whenever a queue is found taken, who has it sees what was added`() async throws {
            var steps = 0
            repeat {
                self.world.ends.withLock { $0 = [] }
                steps += 1
            } while try await self.meet(after: steps - 1)
            #expect(steps > 5)
        }
    }
#endif
