internal import Dispatch
internal import Foundation

/// A local file that is open for reading: as long as it was when it was opened, and an error when it turns out shorter.
///
/// Closed when nobody holds it any more.
final class RegularFile: Sendable {
    /// The length in bytes when it was opened.
    let size: Int64
    private let descriptor: Int32
    private let name: String
    /// Called before a task's use of the disk, which waits for it.
    private let delay: (@Sendable () -> Void)?

    /// Files are read on this queue for tasks: a slow disk must not hold up a thread that others need.
    private static let queue = DispatchQueue(label: "errand.files", qos: .userInitiated, attributes: .concurrent)

    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` when it cannot be read, or is no
    ///   file.
    init(_ url: URL, delay: (@Sendable () -> Void)? = nil) throws(ErrandError) {
        guard url.isFileURL else {
            throw ErrandError(.unsupported, "a request body can only come from a local file")
        }
        // Not blocking: opening a pipe would otherwise wait for whoever writes to it.
        let descriptor = unsafe open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error(url.lastPathComponent, "cannot be opened", errno) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ErrandError(
                .encodingFailed, "\"\(url.lastPathComponent)\", which the request is to send, is not a regular file")
        }
        self.descriptor = descriptor
        self.name = url.lastPathComponent
        self.delay = delay
        self.size = Int64(status.st_size)
    }

    deinit {
        close(self.descriptor)
    }

    /// Fills a buffer from an offset on; returns how much that was, 0 at the end.
    ///
    /// Blocks the thread for as long as the disk takes.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``.
    func read(into room: UnsafeMutableRawBufferPointer, from offset: Int64) throws(ErrandError) -> Int {
        let wanted = Int(min(Int64(room.count), self.size - offset))
        guard wanted > 0 else { return 0 }
        while true {
            let count = unsafe pread(self.descriptor, room.baseAddress, wanted, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.error(self.name, "cannot be read", errno) }
            guard count > 0 else {
                throw ErrandError(.encodingFailed, "the file \"\(self.name)\" became shorter while it was sent")
            }
            return count
        }
    }

    /// Reads up to so many bytes from an offset on, without holding up the calling task's thread; empty at the end.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``, or as soon as the task is
    ///   cancelled.
    func read(_ count: Int, from offset: Int64) async throws(ErrandError) -> Data {
        let waiter = Waiter<Result<Data, ErrandError>>()
        Self.queue.async {
            self.delay?()
            waiter.resume(Result { () throws(ErrandError) in try self.read(count, at: offset) })
        }
        // Woken when the disk has answered; who is cancelled before leaves, and nobody comes for what is read then.
        guard let result = await waiter.wait() else { throw .cancelled() }
        return try result.get()
    }

    /// Reads up to so many bytes from an offset on; empty at the end.
    ///
    /// Blocks the thread for as long as the disk takes.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``.
    func read(_ count: Int, at offset: Int64) throws(ErrandError) -> Data {
        var data = Data(count: Int(min(Int64(count), max(0, self.size - offset))))
        let result = unsafe data.withUnsafeMutableBytes { room in
            Result { () throws(ErrandError) in unsafe try self.read(into: room, from: offset) }
        }
        return data.prefix(try result.get())
    }

    private static func error(_ name: String, _ what: String, _ number: Int32) -> ErrandError {
        let reason = unsafe String(cString: strerror(number))
        return ErrandError(.encodingFailed, "the file \"\(name)\" for the request \(what): \(reason)")
    }
}
