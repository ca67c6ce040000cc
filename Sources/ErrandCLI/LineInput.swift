internal import ErrandLocks
internal import Foundation

/// The lines of a file or pipe, one at a time as they arrive.
///
/// It avoids the streams of the C library, which stay locked while waiting for a line, even at the end of the process.
final class LineInput: Sendable {
    private struct State {
        private var bytes: [UInt8] = []
        /// The start of the next line; the bytes of earlier lines are removed together when more arrive.
        private var start = 0
        /// The position up to which there is no line break.
        private var searched = 0
        var isAtEnd = false

        mutating func append(_ more: [UInt8]) {
            self.bytes.removeSubrange(..<self.start)
            self.searched -= self.start
            self.start = 0
            self.bytes += more
        }

        /// Takes the next complete line; at the end, the rest.
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

    /// Waits for bytes; an empty result is the end or an error.
    private func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            // The pointer is valid during the call, which respects the given size.
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Foundation.read(self.handle.fileDescriptor, buffer.baseAddress, buffer.count)
            }
            if count >= 0 || errno != EINTR { return Array(bytes.prefix(max(0, count))) }
        }
    }
}
