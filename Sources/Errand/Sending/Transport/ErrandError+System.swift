internal import Foundation

extension ErrandError {
    /// Creates the error for a system call that failed just now.
    package init(system what: String, code: Code = .transportFailed) {
        let number = errno
        self.init(code, "\(what): \(unsafe String(cString: strerror(number)))")
    }
}
