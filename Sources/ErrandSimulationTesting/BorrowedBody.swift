/// The body of a test as a value that can be called from another task while the test's scope lasts.
///
/// The testing library lends the body to a trait: the parameter may not escape, and its context may be on the stack of
/// the lender. A run of a simulation is a task of its own, because a run that can come to no end must be left behind,
/// and `withoutActuallyEscaping` would stop the process then, since whoever is left behind still holds the closure. So
/// the two words of the closure are kept without being counted, and lent on for each call.
///
/// Calls may begin only while the scope lasts. One that is left behind in a run that is over is never resumed, since the
/// executor of the run is closed; what it refers to is kept alive (`AbandonedTests`) for the part of it that another
/// executor may be running.
@unsafe
struct BorrowedBody: Sendable {
    typealias Body = @concurrent @Sendable () async throws -> Void

    private struct Words: Sendable {
        let function: UInt
        let context: UInt
    }

    // Two types of closure in a struct each: a cast between the structs changes nothing but the type of the parameter,
    // where one between the closures would wrap them, and their parameters, for generic code.
    private struct TakeWords { let call: (Words) -> Words }
    private struct TakeBody { let call: (Body) -> Words }
    private struct RunWords { let call: @concurrent (Words) async throws -> Void }
    private struct RunBody { let call: @concurrent (Body) async throws -> Void }

    private let words: Words

    /// Borrows a body; the caller must not return while a call may begin.
    init(_ body: Body) {
        let taking = unsafe unsafeBitCast(TakeWords(call: Self.identity), to: TakeBody.self)
        unsafe self.words = taking.call(body)
    }

    /// Runs the body.
    ///
    /// - Throws: What the body throws.
    @concurrent
    func run() async throws {
        let running = unsafe unsafeBitCast(RunBody(call: Self.call), to: RunWords.self)
        try await unsafe running.call(self.words)
    }

    private static func identity(_ words: Words) -> Words { words }

    @concurrent
    private static func call(_ body: Body) async throws { try await body() }
}
