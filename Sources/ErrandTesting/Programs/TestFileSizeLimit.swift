internal import Foundation

/// A limit on the size of this process's files, which makes writes fail even for root.
///
/// For exit tests, which run in a process of their own.
package struct TestFileSizeLimit {
    private let old: rlimit

    /// Sets the limit, and makes a write beyond it fail instead of ending the process; `nil` if that fails.
    package init?(bytes: Int) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        guard unsafe getrlimit(Self.resource, &limit) == 0 else { return nil }
        self.old = limit
        limit.rlim_cur = rlim_t(bytes)
        guard unsafe setrlimit(Self.resource, &limit) == 0 else { return nil }
    }

    /// Restores the previous limit; returns `true` on success.
    package func lift() -> Bool {
        var limit = self.old
        return unsafe setrlimit(Self.resource, &limit) == 0
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_FSIZE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_FSIZE }
    #endif
}
