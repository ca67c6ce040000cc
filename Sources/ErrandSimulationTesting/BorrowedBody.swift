/// The body of a test as a value that can be called from another task while the test's scope lasts.
///
/// The testing library passes the body to a trait as a nonescaping parameter, whose context may be on the caller's
/// stack. A run of a simulation is a separate task, because a run that never ends must be abandoned.
/// `withoutActuallyEscaping` would then stop the process, since the abandoned task still holds the closure. So the two
/// words of the closure are stored without reference counting, and passed on for each call.
///
/// Calls may begin only while the scope lasts. A call in an abandoned run is never resumed, since the executor of the
/// run is closed; its captures are kept alive (`AbandonedTests`) for the part of it that another executor may be
/// running.
@unsafe
struct BorrowedBody: Sendable {
    typealias Body = @concurrent @Sendable () async throws -> Void

    private struct Words: Sendable {
        let function: UInt
        let context: UInt
    }

    // The two types of closures, each in a struct: a cast between the structs only changes the type of the parameter,
    // whereas a cast between the closures would wrap them and their parameters for generic code.
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
    /// - Throws: The error of the body.
    @concurrent
    func run() async throws {
        let running = unsafe unsafeBitCast(RunBody(call: Self.call), to: RunWords.self)
        try await unsafe running.call(self.words)
    }

    private static func identity(_ words: Words) -> Words { words }

    @concurrent
    private static func call(_ body: Body) async throws { try await body() }
}
