internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: locks held across await (G11)", .timeLimit(.minutes(60)), .paced)
struct LockRuleTests {
    private func lines(_ source: String, _ rule: Rule = .lockAcrossAwait) -> [Int] {
        SourceScanner.findings(in: Array(source.utf8), file: "A.swift").filter { $0.rule == rule }.map(\.line)
    }

    @Test(arguments: [
        "func f() async { lock.lock()\n await g()\n lock.unlock() }",
        "func f() async { self.lock.lock()\n await g()\n lock.unlock() }",
        "func f() async { lock.lock()\n defer { lock.unlock() }\n await g() }",
        "func f() async { lock.lock()\n if x { await g() }\n lock.unlock() }",
        "func f() async { lock.lock()\n for await x in y { }\n lock.unlock() }",
        "func f() async { lock.lock()\n if x { lock.unlock(); return }\n await g()\n lock.unlock() }",
        "func f() async { a.lock()\n b.unlock()\n await g() }",
        "func f() async { pthread_mutex_lock(&m)\n await g()\n pthread_mutex_unlock(&m) }",
        "func f() async { os_unfair_lock_lock(l)\n try await g() }",
        "func f() async { guard lock.tryLock() else { return }\n await g() }",
        "func f() async { lock.lock(before: date)\n await g() }",
        "func f() async { lock.withLock { \n await g() } }",
        "func f() async { await lock.withLock { \n await g() } }",
        "func f() async { lock.withLock({ x in \n await g() }) }",
        "func f() async { lock.withLock(a, (b)) { \n await g() } }",
        "Task { lock.lock()\n await g() }",
        "func f() async { do { lock.lock()\n defer { lock.unlock() }\n await g() } }",
    ])
    func `are found, once each`(_ source: String) {
        #expect(self.lines(source) == [1])
    }

    @Test(arguments: [
        "func f() async { lock.lock()\n lock.unlock()\n await g() }",
        "func f() async { await g(); lock.lock(); lock.unlock() }",
        "func f() async { do { lock.lock(); defer { lock.unlock() } }\n await g() }",
        "func f() { lock.lock(); Task { await g() }; lock.unlock() }",
        "func f() { lock.lock(); let a = { await g() }; lock.unlock() }",
        "func f() async { await lock.lock()\n await g()\n lock.unlock() }",
        "func f() async { try await self.lock.lock()\n await g() }",
        "func f() async { lock.withLock { x += 1 }\n await g() }",
        "func f() async { lock.withLock { Task { await g() } } }",
        "func f() { lock.lock(); repeat { x() } while y\n Task { await g() }\n lock.unlock() }",
        "func lock() { }\nfunc f() async { await g() }",
        "func f() { lock.lock() }\nfunc g() async { await h() }",
        "func f() async { if x { lock.lock(); lock.unlock() }\n await g() }",
        "func f() async { database.lock(row)\n await g() }",
        "func f() async { // lock.lock()\n await g() }",
        "func f() async { async let x = withLock\n await x }",
    ])
    func `are not where the lock is free, awaited itself, or another's`(_ source: String) {
        #expect(self.lines(source).isEmpty)
    }

    @Test(arguments: [
        "lock.lock()\n continuation.resume()\n lock.unlock()",
        "lock.withLock {\n $0.waiter?.resume(returning: 1) }",
        "lock.withLock {\n $0.waiter.resume(throwing: e) }",
        "lock.withLock {\n for reader in $0.readers { reader.yield(state) } }",
        "lock.withLock {\n $0.stream.finish() }",
        "lock.withLock {\n if $0.isOver { stream.finish(throwing: e) } }",
        "lock.withLock {\n $0.task = Task { await g() } }",
        "lock.withLock {\n Task(priority: .high) { } }",
    ])
    func `that are held while others are let loose are found, once each`(_ body: String) {
        #expect(self.lines("func f() { \(body) }", .resumeUnderLock) == [1])
    }

    @Test(arguments: [
        "let waiter = lock.withLock { $0.waiter.take() }\n waiter?.resume()",
        "lock.lock()\n let reader = next\n lock.unlock()\n reader.yield(1)",
        "lock.withLock { $0.download.resume(at: now) }",
        "lock.withLock { $0.game.finish(in: 3) }",
        "lock.withLock { $0.task = nil as Task<Void, Never>? }",
        "lock.withLock { $0.later = { waiter.resume() } }",
    ])
    func `are free where others are let loose, or those do something else`(_ body: String) {
        #expect(self.lines("func f() { \(body) }", .resumeUnderLock).isEmpty)
    }

    @Test func `tell where the task is suspended`() {
        let findings = SourceScanner.findings(
            in: Array("struct A { func f() async {\n  lock.lock()\n  await g()\n  await g()\n } }".utf8),
            file: "A.swift")
        #expect(findings.map(\.message) == ["a lock is held across an await (suspended at line 3)"])
        #expect(findings.map(\.declaration) == ["A.f"])
    }
}
