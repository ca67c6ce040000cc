internal import Errand
internal import Foundation

/// A destination for text and bodies: a file descriptor, or memory in tests.
protocol TextSink: Sendable {
    /// True for a terminal, on which a line can be overwritten.
    var isTerminal: Bool { get }
    /// The width of the terminal in characters.
    var columns: Int { get }
    /// The number of lines of the terminal.
    var rows: Int { get }
    /// Writes all bytes, or throws the reason why that fails.
    func write(_ data: Data) throws(FileProblem)
}

extension TextSink {
    /// Writes all of a text, or throws the reason why that fails.
    func write(_ text: String) throws(FileProblem) {
        try self.write(Data(text.utf8))
    }
}

extension FileProblem {
    /// True if the reader is gone, for example `head`.
    var isBrokenPipe: Bool { self.number == EPIPE }
}

/// Writes to a file descriptor that it does not own.
struct DescriptorSink: TextSink {
    let descriptor: Int32
    let isTerminal: Bool

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        self.isTerminal = isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    var columns: Int { self.size.map { Int($0.ws_col) } ?? 80 }
    var rows: Int { self.size.map { Int($0.ws_row) } ?? 24 }

    /// The size of the terminal, if available.
    private var size: winsize? {
        var size = winsize()
        let answer = unsafe withUnsafeMutablePointer(to: &size) { unsafe ioctl(self.descriptor, UInt(TIOCGWINSZ), $0) }
        return answer == 0 && size.ws_col > 0 && size.ws_row > 0 ? size : nil
    }

    func write(_ data: Data) throws(FileProblem) {
        let result = Descriptor.write(data.count, to: self.descriptor) {
            Descriptor.put(self.descriptor, data.dropFirst($0))
        }
        if let problem = result.problem { throw problem }
    }
}
