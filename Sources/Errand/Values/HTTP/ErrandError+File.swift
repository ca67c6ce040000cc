internal import Foundation

extension ErrandError {
    /// Creates the error for a failed file operation.
    package init(_ problem: FileProblem, _ what: String, code: Code = .fileFailed) {
        self.init(code, "\(what): \(problem)", cause: problem)
    }

    /// Creates the error for a failed system call, with the reason in `errno`.
    package init(system what: String, code: Code = .transportFailed) {
        let problem = FileProblem(errno)
        self.init(code, "\(what): \(problem)")
    }

    /// Performs a file operation, and throws an error with a description if it fails.
    package static func refusing<Value: ~Copyable>(
        _ what: @autoclosure () -> String, code: Code = .fileFailed,
        _ work: @autoclosure () throws(FileProblem) -> Value
    ) throws(ErrandError) -> Value {
        do throws(FileProblem) { return try work() } catch { throw ErrandError(error, what(), code: code) }
    }
}
