internal import Errand
internal import ErrandLocks

public import struct Foundation.URL

/// Appends lines to a file, and rotates the file when it is full.
///
/// A full file is renamed: `app.log` becomes `app.log.1`, `app.log.1` becomes `app.log.2`, and so on; the oldest is
/// deleted. Files always end with a whole line. A file that was moved or removed meanwhile, for example by a log
/// rotation tool, is created again. Several sinks and processes can write to one file: each batch is appended with one
/// call, under a file lock.
///
/// Files and folders that the sink creates are accessible to the current user only. A symbolic link in place of the
/// file is not followed. When the disk is full, a partially written batch is removed, so that the file ends with a
/// whole line.
public final class FileSink: LogSink {
    /// Locked while lines are written; only log writers wait for it.
    private let file: Locked<LogFile>

    /// Creates a sink; the file is opened when the first line is written.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - maximumSize: The maximum size in bytes; a longer line gets a file of its own.
    ///   - keeping: The number of full files to keep.
    public convenience init(_ url: URL, maximumSize: Int = 10 << 20, keeping: Int = 4) {
        self.init(url, maximumSize: maximumSize, keeping: keeping, put: Descriptor.put)
    }

    /// Creates a sink that writes through a function instead of the system call.
    init(
        _ url: URL, maximumSize: Int, keeping: Int, put: @escaping @Sendable (Int32, ArraySlice<UInt8>) -> Int
    ) {
        // A URL that is not a file URL is mapped to a path where no file can exist.
        let path = url.isFileURL ? url.absoluteURL.path : "/dev/null/\(url.lastPathComponent)"
        self.file = Locked(
            LogFile(path: path, maximumSize: max(0, maximumSize), keeping: max(0, keeping), put: put))
    }

    /// Appends the lines.
    ///
    /// - Throws: An error that describes why the lines could not be written.
    public func write(_ batch: LogBatch) throws {
        try self.file.withLock { try $0.write(batch) }
    }
}

extension LogSink where Self == FileSink {
    /// Appends lines to a file, and rotates the file when it is full.
    public static func file(_ url: URL, maximumSize: Int = 10 << 20, keeping: Int = 4) -> FileSink {
        FileSink(url, maximumSize: maximumSize, keeping: keeping)
    }
}
