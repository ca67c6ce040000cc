internal import Foundation

/// How large a file of this process may become: as root, nothing else keeps a test from writing.
///
/// For exit tests, whose process is their own.
package struct TestFileSizeLimit {
    private let old: rlimit

    /// Sets the limit, and has a write beyond it fail instead of ending the process; `nil` if that cannot be done.
    package init?(bytes: Int) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        guard unsafe getrlimit(Self.resource, &limit) == 0 else { return nil }
        self.old = limit
        limit.rlim_cur = rlim_t(bytes)
        guard unsafe setrlimit(Self.resource, &limit) == 0 else { return nil }
    }

    /// Sets the limit that was there before, and tells whether that could be done.
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
