internal import Foundation

/// The resource usage of this process.
enum ProcessUsage {
    /// The CPU time so far, user and system, of all threads.
    static var cpuTime: Duration {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return .zero }
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// The resident memory in bytes, or `nil` if the system does not report it in `/proc`.
    ///
    /// Freed memory that the allocator retains does not count.
    static func residentBytes() -> Int? {
        self.releaseFreeMemory()
        return self.status("VmRSS:")
    }

    /// Resets the peak of resident memory; returns `false` if the system cannot.
    static func resetPeak() -> Bool {
        guard let handle = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
        return (try? handle.write(contentsOf: Data("5".utf8))) != nil
    }

    /// The peak of resident memory in bytes since then, or `nil` if the system does not report it.
    static var peakBytes: Int? { self.status("VmHWM:") }

    private static func status(_ name: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
            return kilobytes.map { $0 * 1024 }
        }
        return nil
    }

    /// Returns memory that the allocator retains to the system, if supported.
    private static func releaseFreeMemory() {
        guard let address = unsafe dlsym(dlopen(nil, RTLD_NOW), "malloc_trim") else { return }
        _ = unsafe unsafeBitCast(address, to: (@convention(c) (Int) -> Int32).self)(0)
    }
}
