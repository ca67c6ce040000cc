internal import Errand
internal import ErrandLocks
internal import Foundation

/// Writes to the standard error, or to the standard output.
///
/// The lines of a batch are written with one call of the system where that takes them all, so that they stay together
/// beside what others write there.
public struct StandardSink: LogSink {
    private let descriptor: Int32

    private let place: Place

    /// Where lines go; held while they are written, for several accessories may write there.
    private final class Place: Sendable {
        /// Whether the last line that was begun there was not ended: the system took only a part of it.
        let isTorn = Locked(false)
    }

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        self.place = Place()
    }

    /// The standard error.
    public static let error = StandardSink(STDERR_FILENO)
    /// The standard output.
    public static let output = StandardSink(STDOUT_FILENO)

    /// Writes the lines; waits where nobody reads them for a while.
    ///
    /// - Throws: An error that says why not, in the words of the system.
    public func write(_ batch: LogBatch) throws {
        try self.place.isTorn.withLock { isTorn in
            if isTorn, let problem = self.write([UInt8(ascii: "\n")]).problem { throw problem }
            isTorn = false
            let (count, problem) = self.write(batch.bytes)
            guard let problem else { return }
            // A line counts as written with its line feed.
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
    /// The standard error.
    public static var standardError: StandardSink { .error }
    /// The standard output.
    public static var standardOutput: StandardSink { .output }
}
