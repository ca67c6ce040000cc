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
            if isTorn {
                try self.write([UInt8(ascii: "\n")])
                isTorn = false
            }
            var rest = batch.bytes[...]
            do {
                try self.write(&rest)
            } catch {
                // What counts as written has its line feed.
                isTorn = rest.startIndex > 0 && !batch.ends.contains(rest.startIndex)
                let written = batch.ends.count { $0 <= rest.startIndex }
                throw written == 0 ? error : PartialWrite(written: written, cause: error)
            }
        }
    }

    private func write(_ bytes: [UInt8]) throws(SystemProblem) {
        var rest = bytes[...]
        try self.write(&rest)
    }

    /// Writes what is left, and takes away what was written.
    private func write(_ rest: inout ArraySlice<UInt8>) throws(SystemProblem) {
        while !rest.isEmpty {
            switch Descriptor.put(self.descriptor, rest) {
            case let count where count >= 0: rest = rest.dropFirst(count)
            case -Int(EINTR): break
            case -Int(EAGAIN): Descriptor.waitUntilWritable(self.descriptor)
            case let number: throw SystemProblem(Int32(-number))
            }
        }
    }
}

extension LogSink where Self == StandardSink {
    /// The standard error.
    public static var standardError: StandardSink { .error }
    /// The standard output.
    public static var standardOutput: StandardSink { .output }
}
