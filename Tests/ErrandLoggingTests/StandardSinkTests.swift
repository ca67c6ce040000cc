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
        async let text = Self.read(pipe.fileHandleForReading)
        try StandardSink(descriptor).write(Self.batch(lines))
        try pipe.fileHandleForWriting.close()
        #expect(await text?.split(separator: "\n").map(String.init) == lines)
    }

    @concurrent
    private static func read(_ handle: FileHandle) async -> String? {
        (try? handle.readToEnd()).flatMap { String(data: $0, encoding: .utf8) }
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
