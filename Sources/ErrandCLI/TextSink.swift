internal import Foundation

/// Where text and bodies go: a file descriptor, or memory in tests.
protocol TextSink: Sendable {
    /// Whether a person looks at it as it comes, so that a line may be drawn over.
    var isTerminal: Bool { get }
    /// How many characters fit on one line of the terminal.
    var columns: Int { get }
    /// How many lines the terminal has.
    var rows: Int { get }
    /// Writes all of the bytes, or says why that cannot be.
    func write(_ data: Data) throws(SinkError)
}

extension TextSink {
    /// Writes all of a text, or says why that cannot be.
    func write(_ text: String) throws(SinkError) {
        try self.write(Data(text.utf8))
    }
}

/// A write that failed.
struct SinkError: Error, Hashable {
    /// The error number of the system.
    let number: Int32

    /// Whether nobody reads any more, as when the output goes into `head`.
    var isBrokenPipe: Bool { self.number == EPIPE }
    /// The system's words for it.
    var message: String { unsafe String(cString: strerror(self.number)) }
}

/// Writes to a file descriptor that belongs to someone else.
struct DescriptorSink: TextSink {
    let descriptor: Int32
    let isTerminal: Bool

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        self.isTerminal = isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    var columns: Int { self.size.map { Int($0.ws_col) } ?? 80 }
    var rows: Int { self.size.map { Int($0.ws_row) } ?? 24 }

    /// The size of the terminal, if there is one that has one.
    private var size: winsize? {
        var size = winsize()
        let answer = unsafe withUnsafeMutablePointer(to: &size) { unsafe ioctl(self.descriptor, UInt(TIOCGWINSZ), $0) }
        return answer == 0 && size.ws_col > 0 && size.ws_row > 0 ? size : nil
    }

    func write(_ data: Data) throws(SinkError) {
        var rest = data
        while !rest.isEmpty {
            // The pointer lives as long as the call, which reads no more than it is told.
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Foundation.write(self.descriptor, bytes.baseAddress, bytes.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else {
                try self.recover(from: errno)
            }
        }
    }

    /// Returns when the write is worth another try.
    private func recover(from number: Int32) throws(SinkError) {
        switch number {
        case EINTR:
            return
        case EAGAIN:
            // Someone made the descriptor non-blocking: wait until it takes more.
            var wish = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
            _ = unsafe poll(&wish, 1, -1)
        default:
            throw SinkError(number: number)
        }
    }
}
