internal import Errand
internal import ErrandLocks

public import struct Foundation.URL

/// Appends to a file, and begins another one when it is full.
///
/// The file that is full is renamed: `app.log` becomes `app.log.1`, that becomes `app.log.2`, and so on; the oldest
/// goes. A line is never torn, nor are two files begun in the middle of one. A file that was moved or removed
/// meanwhile, as programs do that look after logs, is made anew. Several sinks and processes may write to one file:
/// each batch is appended with one call, under a lock that the system keeps.
///
/// A file that has to be made is for this user only, and so are folders. A link in place of the file is not followed.
/// When the disk is full, what was written of a batch is taken back, so that the file ends with a whole line.
public final class FileSink: LogSink {
    /// Held while lines are written: only the writers of logs ever wait for it.
    private let file: Locked<LogFile>

    /// Creates a sink; nothing is opened before the first line.
    ///
    /// - Parameters:
    ///   - url: Where the file is.
    ///   - maximumSize: How many bytes it may have; a line that is longer has a file for itself.
    ///   - keeping: How many full files are kept.
    public convenience init(_ url: URL, maximumSize: Int = 10 << 20, keeping: Int = 4) {
        self.init(url, maximumSize: maximumSize, keeping: keeping, put: Descriptor.put)
    }

    /// Creates a sink that writes through a function in place of the system.
    init(
        _ url: URL, maximumSize: Int, keeping: Int, put: @escaping @Sendable (Int32, ArraySlice<UInt8>) -> Int
    ) {
        // Where nothing can be: what is not the URL of a file has no place, though it has a path.
        let path = url.isFileURL ? url.absoluteURL.path : "/dev/null/\(url.lastPathComponent)"
        self.file = Locked(
            LogFile(path: path, maximumSize: max(0, maximumSize), keeping: max(0, keeping), put: put))
    }

    /// Appends the lines.
    ///
    /// - Throws: An error that says why not, in the words of the system.
    public func write(_ batch: LogBatch) throws {
        try self.file.withLock { try $0.write(batch) }
    }
}

extension LogSink where Self == FileSink {
    /// Appends to a file, and begins another one when it is full.
    public static func file(_ url: URL, maximumSize: Int = 10 << 20, keeping: Int = 4) -> FileSink {
        FileSink(url, maximumSize: maximumSize, keeping: keeping)
    }
}
