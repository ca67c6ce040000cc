internal import Errand
internal import ErrandLocks
internal import Foundation

/// Writes to standard error or standard output.
///
/// The lines of a batch are written with one system call if possible, so that they are not interleaved with other
/// output.
public struct StandardSink: LogSink {
    private let descriptor: Int32

    private let place: DescriptorState

    /// The state of a file descriptor, locked while lines are written, since several accessories may share it.
    private final class DescriptorState: Sendable {
        /// True if the last line was written only in part.
        let isTorn = Locked(false)
    }

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        self.place = DescriptorState()
    }

    /// Standard error.
    public static let error = StandardSink(STDERR_FILENO)
    /// Standard output.
    public static let output = StandardSink(STDOUT_FILENO)

    /// Writes the lines; blocks while the reader of a pipe falls behind.
    ///
    /// - Throws: An error that describes why the lines could not be written.
    public func write(_ batch: LogBatch) throws {
        try self.place.isTorn.withLock { isTorn in
            if isTorn, let problem = self.write([UInt8(ascii: "\n")]).problem { throw problem }
            isTorn = false
            let (count, problem) = self.write(batch.bytes)
            guard let problem else { return }
            // A line counts as written once its line feed is.
            isTorn = count > 0 && !batch.ends.contains(count)
            let written = batch.ends.count { $0 <= count }
            throw written == 0 ? problem : PartialWrite(written: written, cause: problem)
        }
    }

    private func write(_ bytes: [UInt8]) -> (count: Int, problem: FileProblem?) {
        Descriptor.write(bytes.count, to: self.descriptor) { Descriptor.put(self.descriptor, bytes.dropFirst($0)) }
    }
}

extension LogSink where Self == StandardSink {
    /// Standard error.
    public static var standardError: StandardSink { .error }
    /// Standard output.
    public static var standardOutput: StandardSink { .output }
}
