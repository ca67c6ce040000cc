internal import Foundation

extension ErrandError {
    /// A use of a disk that the system has refused.
    package init(_ problem: FileProblem, _ what: String, code: Code = .fileFailed) {
        self.init(code, "\(what): \(problem)", cause: problem)
    }

    /// A failed call of the system; `errno` says why.
    package init(system what: String, code: Code = .transportFailed) {
        let problem = FileProblem(errno)
        self.init(code, "\(what): \(problem)")
    }

    /// Uses a disk, and says what that was for if the system refuses.
    package static func refusing<Value: ~Copyable>(
        _ what: @autoclosure () -> String, code: Code = .fileFailed,
        _ work: @autoclosure () throws(FileProblem) -> Value
    ) throws(ErrandError) -> Value {
        do throws(FileProblem) { return try work() } catch { throw ErrandError(error, what(), code: code) }
    }
}
