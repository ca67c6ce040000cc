internal import Errand
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
    func write(_ data: Data) throws(FileProblem)
}

extension TextSink {
    /// Writes all of a text, or says why that cannot be.
    func write(_ text: String) throws(FileProblem) {
        try self.write(Data(text.utf8))
    }
}

extension FileProblem {
    /// Whether nobody reads any more, as when the output goes into `head`.
    var isBrokenPipe: Bool { self.number == EPIPE }
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

    func write(_ data: Data) throws(FileProblem) {
        let result = Descriptor.write(data.count, to: self.descriptor) {
            Descriptor.put(self.descriptor, data.dropFirst($0))
        }
        if let problem = result.problem { throw problem }
    }
}
