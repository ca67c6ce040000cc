internal import Errand
internal import Foundation
internal import Testing

@testable internal import ErrandLogging

@Suite("Logging: standard streams", .timeLimit(.minutes(5)))
struct StandardSinkTests {
    private static func batch(_ lines: [String]) -> LogBatch {
        var batch = LogBatch()
        for line in lines { batch.add(.info) { $0 += line.utf8 } }
        return batch
    }

    @Test func `all lines are written, more than the other end takes at once, too`() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let lines = (0..<20_000).map { "line \($0)" }
        // On a thread of its own: writing holds one of the pool's until somebody reads.
        let (reader, text) = (pipe.fileHandleForReading.fileDescriptor, Waiter<String>())
        Thread.detachNewThread { text.resume(Self.read(reader)) }
        try StandardSink(descriptor).write(Self.batch(lines))
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
            #expect(throws: SystemProblem(EPIPE)) { try sink.write(Self.batch(["a"])) }
        }
    }

    @Test func `a descriptor that is closed is a problem in words`() {
        #expect(throws: SystemProblem(EBADF)) { try StandardSink(-1).write(Self.batch(["a"])) }
    }
}
