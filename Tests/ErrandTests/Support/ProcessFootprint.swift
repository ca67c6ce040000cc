internal import Foundation
internal import Testing

#if os(Linux)
    /// What this process holds of the system, as `/proc/self` tells it.
    struct ProcessFootprint: CustomStringConvertible {
        /// What is behind each open descriptor.
        let descriptors: [String]
        /// The names of the threads of transports: others come and go by themselves.
        let threads: [String]

        /// What is held right now.
        static var now: ProcessFootprint {
            let links = Self.names(in: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            // Dispatch makes its timers when they are first needed, and keeps them.
            .filter { $0 != "anon_inode:[timerfd]" }
            let threads = Self.names(in: "/proc/self/task").map { Self.text("/proc/self/task/\($0)/comm") }
            return ProcessFootprint(
                descriptors: links.map { String($0.prefix { $0 != ":" }) }.sorted(),
                threads: threads.filter { $0 == "errand curl" })
        }

        /// The memory of this process that is in use, in KiB.
        static var residentKiB: Int { Self.status("VmRSS:") }

        /// The most memory of this process that was in use since ``resetPeak()``, in KiB.
        static var peakKiB: Int { Self.status("VmHWM:") }

        /// Begins to look for the most memory anew; answers false where the system cannot.
        static func resetPeak() -> Bool {
            guard let handle = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
            return (try? handle.write(contentsOf: Data("5".utf8))) != nil
        }

        private static func status(_ name: String) -> Int {
            let line = Self.text("/proc/self/status").split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }

        /// Tells whether another one holds no more than this.
        func covers(_ other: ProcessFootprint) -> Bool {
            other.descriptors.count <= self.descriptors.count && other.threads.count <= self.threads.count
        }

        /// Waits until no more is held than at an earlier time; ten minutes are longer than that takes anywhere.
        ///
        /// Threads end, and sockets are closed, soon after whoever caused it was told.
        static func settled(at before: ProcessFootprint) async -> ProcessFootprint {
            var now = Self.now
            let end = ContinuousClock.now + .seconds(600)
            while !before.covers(now), ContinuousClock.now < end {
                await Task.yield()
                now = Self.now
            }
            return now
        }

        var description: String {
            "\(self.descriptors.count) descriptors \(Self.counted(self.descriptors)), threads \(self.threads)"
        }

        private static func counted(_ words: [String]) -> [String: Int] {
            Dictionary(words.map { ($0, 1) }, uniquingKeysWith: +)
        }

        private static func names(in folder: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        }

        private static func text(_ path: String) -> String {
            let data = FileManager.default.contents(atPath: path) ?? Data()
            return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        }
    }
#endif
