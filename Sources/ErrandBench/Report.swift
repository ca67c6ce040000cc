internal import Foundation

/// Prints one line for each metric, for people or for programs.
struct Report {
    let scenario: String
    let json: Bool

    func tell(_ metric: String, _ value: Double, _ unit: String) {
        if self.json {
            let number = String(format: "%.3f", value)
            print(#"{"scenario":"\#(self.scenario)","metric":"\#(metric)","value":\#(number),"unit":"\#(unit)"}"#)
        } else {
            let padding = String(repeating: " ", count: max(1, 36 - metric.count))
            print("\(metric)\(padding)\(String(format: "%12.2f", value)) \(unit)")
        }
        // A line is worth reading as soon as it is known, also through a pipe.
        FileHandle.standardOutput.synchronizeFile()
    }
}

/// What the system says about this process.
enum Process {
    /// Resident memory in bytes, or nothing where the system does not tell it in `/proc`.
    ///
    /// Memory that was freed and that the allocator only keeps for later does not count.
    static func residentBytes() -> Int? {
        releaseFreeMemory()
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix("VmRSS:") {
            let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
            return kilobytes.map { $0 * 1024 }
        }
        return nil
    }

    /// Gives memory back that the allocator keeps, where it can be asked to.
    private static func releaseFreeMemory() {
        guard let address = unsafe dlsym(dlopen(nil, RTLD_NOW), "malloc_trim") else { return }
        _ = unsafe unsafeBitCast(address, to: (@convention(c) (Int) -> Int32).self)(0)
    }
}
