internal import ErrandLocks
internal import Foundation

/// The lines of a file or pipe, one at a time as they come.
///
/// Not by way of the C library's streams: they stay locked while a line is waited for, also for the end of the process.
final class LineInput: Sendable {
    private struct State {
        private var bytes: [UInt8] = []
        /// Where the next line begins: lines that were taken go when more bytes come, all at once.
        private var start = 0
        /// The bytes before it are known to have no line break.
        private var searched = 0
        var isAtEnd = false

        /// Adds bytes.
        mutating func append(_ more: [UInt8]) {
            self.bytes.removeSubrange(..<self.start)
            self.searched -= self.start
            self.start = 0
            self.bytes += more
        }

        /// Takes the next line, if all of it is there; at the end, what is left.
        mutating func takeLine() -> String? {
            guard let end = self.bytes[self.searched...].firstIndex(of: UInt8(ascii: "\n")) else {
                self.searched = self.bytes.count
                guard self.isAtEnd, self.start < self.bytes.count else { return nil }
                defer { self.start = self.bytes.count }
                return String(decoding: self.bytes[self.start...], as: UTF8.self)
            }
            defer {
                self.start = end + 1
                self.searched = self.start
            }
            return String(decoding: self.bytes[self.start..<end], as: UTF8.self)
        }
    }

    private let handle: FileHandle
    private let state = Locked(State())

    init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// Waits for the next line and returns it without its line break, or `nil` at the end; for one caller at a time.
    func next() -> String? {
        while true {
            let (line, isAtEnd) = self.state.withLock { ($0.takeLine(), $0.isAtEnd) }
            if line != nil || isAtEnd { return line }
            let bytes = self.read()
            self.state.withLock { state in
                state.append(bytes)
                state.isAtEnd = bytes.isEmpty
            }
        }
    }

    /// Waits for bytes; none are the end, and so is an error.
    private func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            // The pointer lives as long as the call, which writes no more than it is told.
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Foundation.read(self.handle.fileDescriptor, buffer.baseAddress, buffer.count)
            }
            if count >= 0 || errno != EINTR { return Array(bytes.prefix(max(0, count))) }
        }
    }
}
