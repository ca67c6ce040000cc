internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandLogging

@Suite("Logging: standard streams", .timeLimit(.minutes(60)), .paced)
struct StandardSinkTests {
    @Test func `all lines are written, more than the other end takes at once, too`() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let lines = (0..<20_000).map { "line \($0)" }
        // On a thread of its own: writing holds one of the pool's until somebody reads.
        let (reader, text) = (pipe.fileHandleForReading.fileDescriptor, Waiter<String>())
        Thread.detachNewThread { text.resume(Self.read(reader)) }
        try StandardSink(descriptor).write(LogBatch(texts: lines))
        try pipe.fileHandleForWriting.close()
        #expect(await text.wait()?.split(separator: "\n").map(String.init) == lines)
        withExtendedLifetime(pipe) {}
    }

    private static func read(_ descriptor: Int32) -> String {
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        return String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
    }

    @Test func `a process survives when nobody reads any more`() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let sink = StandardSink(pipe.fileHandleForWriting.fileDescriptor)
        for _ in 0..<2 {
            #expect(throws: FileProblem(EPIPE)) { try sink.write(LogBatch(texts: ["a"])) }
        }
    }

    @Test func `a descriptor that is closed is a problem in words`() {
        #expect(throws: FileProblem(EBADF)) { try StandardSink(-1).write(LogBatch(texts: ["a"])) }
    }

    #if os(Linux) || os(macOS)
        /// The system takes a part of a line and no more: the next one does not go on in it.
        @Test func `a line that was torn is ended before the next`() async throws {
            await #expect(processExitsWith: .success) {
                let folder = try TestFolder()
                let url = folder.file("lines")
                _ = FileManager.default.createFile(atPath: url.path, contents: nil)
                let handle = try FileHandle(forWritingTo: url)
                let sink = StandardSink(handle.fileDescriptor)
                guard let limit = TestFileSizeLimit(bytes: 10) else { exit(2) }
                do {
                    try sink.write(LogBatch(texts: ["abcdef", "ghijkl", "mnopqr"]))
                    exit(3)
                } catch let error as PartialWrite {
                    guard error.written == 1 else { exit(4) }
                }
                // Not even the end of the line can be written: it is still torn.
                guard (try? sink.write(LogBatch(texts: ["lost"]))) == nil else { exit(5) }
                guard limit.lift() else { exit(6) }
                try sink.write(LogBatch(texts: ["next", "last"]))
                let text = try String(decoding: Data(contentsOf: url), as: UTF8.self)
                guard text == "abcdef\nghi\nnext\nlast\n" else { exit(7) }
            }
        }
    #endif
}
