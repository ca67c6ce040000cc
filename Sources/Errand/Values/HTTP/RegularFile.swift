internal import Dispatch
internal import Foundation

/// A local file opened for reading, with its length at that time; it is an error if it becomes shorter.
///
/// Closed when it is no longer referenced.
final class RegularFile: Sendable {
    /// The length in bytes when it was opened.
    let size: Int64
    private let file: OpenFile
    private let name: String
    /// Called before each disk access of a task, to delay it.
    private let delay: (@Sendable () -> Void)?

    /// The queue for file reads of tasks, because a slow disk must not block a cooperative thread.
    private static let queue = DispatchQueue(label: "errand.files", qos: .userInitiated, attributes: .concurrent)

    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` if it cannot be read, or is not a
    ///   regular file.
    init(_ url: URL, delay: (@Sendable () -> Void)? = nil) throws(ErrandError) {
        guard url.isFileURL else {
            throw ErrandError(.unsupported, "a request body can only be read from a local file")
        }
        // Non-blocking, because opening a pipe would wait for its writer.
        let name = url.lastPathComponent
        let what = "the file \"\(name)\" for the request cannot be opened"
        self.file = try ErrandError.refusing(
            what, code: .encodingFailed, try OpenFile(reading: url.path, followsLink: true))
        let facts = try ErrandError.refusing(what, code: .encodingFailed, try self.file.facts())
        guard facts.isRegular else {
            throw ErrandError(.encodingFailed, "\"\(name)\", the body of the request, is not a regular file")
        }
        (self.name, self.delay, self.size) = (name, delay, facts.length)
    }

    /// Reads bytes from an offset, up to a number, without blocking the calling task's thread; empty at the end.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``, or as soon as the task is
    ///   cancelled.
    func read(_ count: Int, from offset: Int64) async throws(ErrandError) -> Data {
        let result = await Self.queue.performUnlessCancelled {
            self.delay?()
            return Result { () throws(ErrandError) in try self.read(count, at: offset) }
        }
        return try (result ?? .failure(.cancelled())).get()
    }

    /// Reads bytes from an offset, up to a number; empty at the end.
    ///
    /// Blocks the thread while the disk is accessed.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``.
    func read(_ count: Int, at offset: Int64) throws(ErrandError) -> Data {
        var data = Data(count: Int(max(0, min(Int64(count), self.size - offset))))
        guard !data.isEmpty else { return data }
        let result = unsafe data.withUnsafeMutableBytes { room in
            Result { () throws(FileProblem) in unsafe try self.file.read(into: room, from: offset) }
        }
        let length = try ErrandError.refusing(
            "the file \"\(self.name)\" for the request cannot be read", code: .encodingFailed, try result.get())
        guard length > 0 else {
            throw ErrandError(.encodingFailed, "the file \"\(self.name)\" became shorter while it was sent")
        }
        return data.prefix(length)
    }
}
