internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: rules (G11)", .timeLimit(.minutes(60)), .paced)
struct RuleTests {
    private func findings(_ source: String) -> [Finding] {
        SourceScanner.findings(in: Array(source.utf8), file: "A.swift")
    }

    @Test(arguments: [
        (Rule.uncheckedSendable, "final class Box: @unchecked Sendable {}", "Box"),
        (.uncheckedSendable, "struct A: B, @unchecked\n    Sendable {}", "A"),
        (.uncheckedSendable, "extension A.B: @unchecked Swift.Sendable {}", "A.B"),
        (.uncheckedSendable, "class A<T>: @ /* */ unchecked Sendable where T: Q {}", "A"),
        (.uncheckedSendable, "enum Outer { actor X {}\n final class In: @unchecked Sendable {} }", "Outer.In"),
        (.uncheckedSendable, "func f() { struct Local: @unchecked Sendable {} }", "f.Local"),
        (.uncheckedSendable, "let a = \"\\(type(of: A() as @unchecked Sendable))\"", "a"),
        (.nonisolatedUnsafe, "nonisolated(unsafe) var total = 0", "total"),
        (.nonisolatedUnsafe, "enum A { let a = 1\n public nonisolated ( unsafe ) static let b = 2 }", "A.b"),
        (.nonisolatedUnsafe, "enum A { static public nonisolated(unsafe) var b = 2 }", "A.b"),
        (.nonisolatedUnsafe, "func f() { nonisolated(unsafe) let x = y }", "f.x"),
        (.preconcurrency, "@preconcurrency import Foundation", "import Foundation"),
        (.preconcurrency, "@preconcurrency public import class Foundation.Thread", "import class Foundation.Thread"),
        (.preconcurrency, "class A: @preconcurrency Delegate {}", "A"),
        (.preconcurrency, "struct A { @preconcurrency @objc(x) func f(a: Int) {} }", "A.f"),
        (.preconcurrency, "@preconcurrency protocol P {}", "P"),
        (.unsafeContinuation, "func f() async { await withUnsafeContinuation { $0.resume() } }", "f"),
        (.unsafeContinuation, "func f() { try await withUnsafeThrowingContinuation { _ in } }", "f"),
        (.unsafeContinuation, "struct A { var c: UnsafeContinuation<Void, Never>? }", "A.c"),
        (.detachedTask, "func f() { Task.detached { } }", "f"),
        (.detachedTask, "func f() { Task<Void, Never>.detached(priority: .low) { } }", "f"),
        (.detachedTask, "func f() { Task<[A<Int>], () -> Int>.detached { } }", "f"),
        (.detachedTask, "func f() { let t: Task<Void, Never> = .detached { } }", "f"),
        (.detachedTask, "func f() { Task\n    .detached { } }", "f"),
        (.detachedTask, "func f() { Task.immediateDetached { } }", "f"),
        (.detachedTask, "func f() -> Task<Void, Never> { return .detached { } }", "f"),
        (.semaphore, "class A { private let arrivals = DispatchSemaphore(value: 0) }", "A.arrivals"),
        (.semaphore, "class A { static let a: Int = { sem_wait(s); return 1 }() }", "A.a"),
        (.semaphore, "class A { let a = 1; init() { let g = DispatchGroup() } }", "A.init"),
        (.semaphore, "typealias S = DispatchSemaphore", "S"),
        (.semaphore, "func f() { if let c = NSCondition() { } }", "f"),
        (.semaphore, "class A { var x: Int { get { pthread_cond_wait(&c, &m) } } }", "A.x"),
        (.semaphore, "class A { func `two words`() { DispatchSemaphore(value: 0) } }", "A.two words"),
        (.semaphore, "extension A { static func == (a: A, b: A) -> Bool { sem_wait(s) } }", "A.=="),
        (.semaphore, "class A { subscript(i: Int) -> Int { sem_wait(s) } }", "A.subscript"),
        (.semaphore, "class A { deinit { sem_wait(s) } }", "A.deinit"),
        (.semaphore, "print(1)\nsem_wait(s)", "top level"),
        (.semaphore, "let a = 1\nsem_wait(s)", "top level"),
        (.semaphore, "class A { let (a, b) = (1, DispatchSemaphore(value: 0)) }", "A.a, b"),
        (.semaphore, "class A { class func f() { sem_wait(s) } }", "A.f"),
        (.semaphore, "protocol P { func f()\n var x: NSCondition { get } }", "P.x"),
        (.semaphore, "func f(a: () -> Void = { }) { sem_wait(s) }", "f"),
        (.semaphore, "struct A { init() { self.init(1) }\n let b = sem_wait(s) }", "A.b"),
        (.semaphore, "actor A { let actor = 1; let a = NSCondition() }", "A.a"),
    ])
    func `find what they are about, and the declaration it is in`(_ rule: Rule, _ source: String, _ name: String) {
        let findings = self.findings(source)
        #expect(findings.map(\.rule) == [rule])
        #expect(findings.map(\.declaration) == [name])
    }

    @Test(arguments: [
        "// final class Box: @unchecked Sendable {}",
        "/* nonisolated(unsafe) var total = 0 */",
        "let a = \"@preconcurrency import Foundation\"",
        "let a = #\"\\(withUnsafeContinuation)\"#",
        "let a = \"\"\"\n    Task.detached { }\n    \"\"\"",
        "let a = #/DispatchSemaphore/#",
        "class Box: Sendable {}",
        "nonisolated func f() {}",
        "nonisolated(nonsending) func f() {}",
        "func unchecked() {}",
        "await withCheckedContinuation { $0.resume() }",
        "view.detached()",
        "let detached = Task { }",
        "case detached(Int)",
        "let a = b.first?.detached()",
        "let a = Set<Int>.detached",
        "let semaphore = AsyncSemaphore()",
    ])
    func `leave alone what only looks like it`(_ source: String) {
        #expect(self.findings(source).isEmpty)
    }

    @Test func `tell the line, the column in bytes and the source`() {
        let findings = self.findings("import A\n\n  let ü = 1; nonisolated(unsafe) var b = 2  \r\n")
        #expect(
            findings == [
                Finding(
                    rule: .nonisolatedUnsafe, file: "A.swift", line: 3, column: 15, declaration: "b",
                    source: "let ü = 1; nonisolated(unsafe) var b = 2", note: nil)
            ])
    }

    @Test func `count each of several on a line`() {
        let findings = self.findings("let (a, b) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))")
        #expect(findings.map(\.column) == [15, 44])
    }

    @Test func `name declarations alike wherever lines move`() {
        let source = "struct A {\n    func f() {\n        Task.detached { }\n    }\n}"
        let moved = "// New.\n\n" + source.replacing("func", with: "let x = 1\n    func")
        #expect(self.findings(source).map(\.place) == self.findings(moved).map(\.place))
        #expect(self.findings(source).map(\.line) != self.findings(moved).map(\.line))
    }
}
