internal import Errand
internal import Foundation

/// Writes to the standard error, or to the standard output.
///
/// The lines of a batch are written with one call of the system where that takes them all, so that they stay together
/// beside what others write there.
public struct StandardSink: LogSink {
    private let descriptor: Int32

    /// Held while lines are written: several accessories may write to the same place.
    private static let turn = Locked(())

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The standard error.
    public static let error = StandardSink(STDERR_FILENO)
    /// The standard output.
    public static let output = StandardSink(STDOUT_FILENO)

    /// Writes the lines; waits where nobody reads them for a while.
    ///
    /// - Throws: An error that says why not, in the words of the system.
    public func write(_ batch: LogBatch) throws {
        try Self.turn.withLock { _ in try self.write(batch.bytes[...]) }
    }

    private func write(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
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
