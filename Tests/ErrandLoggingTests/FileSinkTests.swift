internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandLogging

@Suite("Logging: files", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct FileSinkTests {
    private let folder: TestFolder
    private var url: URL { self.folder.file("app.log") }

    init() throws {
        self.folder = try TestFolder()
    }

    private func lines(_ name: String = "app.log") -> [String]? {
        guard let text = try? String(contentsOf: self.folder.file(name), encoding: .utf8) else { return nil }
        #expect(text.hasSuffix("\n"), "\(name) ends in the middle of a line")
        return text.split(separator: "\n").map(String.init)
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.folder.url.path)) ?? []).sorted()
    }

    @Test func `lines are appended to what is there`() throws {
        try FileSink(self.url).write(LogBatch(texts: ["a", "b"]))
        try FileSink(self.url).write(LogBatch(texts: ["c"]))
        #expect(self.lines() == ["a", "b", "c"])
    }

    @Test func `a file and folders that have to be made are for this user only`() throws {
        let url = self.folder.url.appending(path: "x/y/app.log")
        try FileSink(url).write(LogBatch(texts: ["a"]))
        let manager = FileManager.default
        let file = try manager.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        let folder = try manager.attributesOfItem(atPath: url.deletingLastPathComponent().path)[.posixPermissions]
        #expect(file == 0o600)
        #expect(folder as? Int == 0o700)
    }

    @Test func `a full file is renamed, and so many are kept`() throws {
        let sink = FileSink(self.url, maximumSize: 10, keeping: 2)
        for number in 0..<10 { try sink.write(LogBatch(texts: ["line\(number)"])) }
        #expect(self.names == ["app.log", "app.log.1", "app.log.2"])
        #expect(self.lines() == ["line9"])
        #expect(self.lines("app.log.1") == ["line8"])
        #expect(self.lines("app.log.2") == ["line7"])
    }

    @Test func `a batch is divided between files where lines end`() throws {
        let sink = FileSink(self.url, maximumSize: 12, keeping: 9)
        try sink.write(LogBatch(texts: (0..<7).map { "line\($0)" } + [String(repeating: "x", count: 40), "y"]))
        let files = try self.names.map { try #require(self.lines($0)) }
        // The names have one digit, so the oldest is the last.
        #expect(files[0] == ["y"])
        #expect(files[1] == [String(repeating: "x", count: 40)])
        #expect(files.dropFirst(2).reversed().flatMap(\.self) == (0..<7).map { "line\($0)" })
        #expect(files.dropFirst(2).allSatisfy { $0.count <= 2 })
    }

    @Test(arguments: [Int.max, .max - 1, 1 << 40])
    func `any number of files may be kept`(keeping: Int) throws {
        let sink = FileSink(self.url, maximumSize: 10, keeping: keeping)
        for number in 0..<5 { try sink.write(LogBatch(texts: ["line\(number)"])) }
        #expect(self.names == ["app.log", "app.log.1", "app.log.2", "app.log.3", "app.log.4"])
        #expect(self.lines("app.log.4") == ["line0"])
        try FileManager.default.removeItem(at: self.folder.file("app.log.2"))
        try sink.write(LogBatch(texts: ["line5"]))
        #expect(self.lines("app.log.2") == ["line3"])
        #expect(self.lines("app.log.4") == ["line0"], "behind a number that was free")
    }

    @Test func `none are kept where none should be`() throws {
        let sink = FileSink(self.url, maximumSize: 10, keeping: 0)
        for number in 0..<5 { try sink.write(LogBatch(texts: ["line\(number)"])) }
        #expect(self.names == ["app.log"])
        #expect(self.lines() == ["line4"])
    }

    @Test func `a file that was moved or removed is made anew`() throws {
        let sink = FileSink(self.url)
        try sink.write(LogBatch(texts: ["a"]))
        try FileManager.default.moveItem(at: self.url, to: self.folder.file("moved"))
        try sink.write(LogBatch(texts: ["b"]))
        #expect(self.lines("moved") == ["a"])
        #expect(self.lines() == ["b"])
        try FileManager.default.removeItem(at: self.url)
        try sink.write(LogBatch(texts: ["c"]))
        #expect(self.lines() == ["c"])
        try FileManager.default.removeItem(at: self.folder.url)
        try sink.write(LogBatch(texts: ["d"]))
        #expect(self.lines() == ["d"])
    }

    @Test func `sinks that share a file lose and tear no line, while it is renamed under them`() async throws {
        let url = self.url
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<4 {
                group.addTask {
                    let sink = FileSink(url, maximumSize: 2000, keeping: 1000)
                    for number in 0..<200 {
                        let lines = (0..<3).map {
                            "\(lane)-\(number)-\($0)-" + String(repeating: "x", count: number % 50)
                        }
                        do { try sink.write(LogBatch(texts: lines)) } catch { Issue.record(error) }
                    }
                }
            }
        }
        var seen: [String] = []
        for name in self.names {
            let lines = try #require(self.lines(name))
            #expect(lines.reduce(0) { $0 + $1.utf8.count + 1 } <= 2000)
            seen += lines.map { $0.split(separator: "-").prefix(3).joined(separator: "-") }
        }
        #expect(seen.count == 4 * 200 * 3)
        #expect(Set(seen).count == seen.count)
    }

    @Test func `a link is not followed, and a folder is no file`() throws {
        try FileManager.default.createSymbolicLink(at: self.url, withDestinationURL: self.folder.file("elsewhere"))
        #expect(throws: PartialWrite.self) { try FileSink(self.url).write(LogBatch(texts: ["a"])) }
        #expect(self.names == ["app.log"])
        #expect(throws: PartialWrite.self) { try FileSink(self.folder.url).write(LogBatch(texts: ["a"])) }
        let remote = try #require(URL(string: "https://a.test/app.log"))
        #expect(throws: PartialWrite.self) { try FileSink(remote).write(LogBatch(texts: ["a"])) }
    }

    @Test func `when the disk is full, no part of a line stays`() throws {
        let room = Locked(7)
        let sink = FileSink(self.url, maximumSize: 1000, keeping: 1) { descriptor, bytes in
            let free = room.withLock { $0 }
            guard free > 0 else { return -Int(ENOSPC) }
            let count = Descriptor.put(descriptor, bytes.prefix(free))
            room.withLock { $0 -= count }
            return count
        }
        try sink.write(LogBatch(texts: ["a"]))
        let error = #expect(throws: PartialWrite.self) { try sink.write(LogBatch(texts: ["bcd", "efg"])) }
        #expect(error?.written == 0)
        #expect("\(error.map { "\($0)" } ?? "")" == "\(self.url.path): \(FileProblem(ENOSPC))")
        #expect(self.lines() == ["a"])
        room.withLock { $0 = 1000 }
        try sink.write(LogBatch(texts: ["h"]))
        #expect(self.lines() == ["a", "h"])
    }

    @Test func `calls that are interrupted or take little at a time write all of it`() throws {
        let calls = Locked(0)
        let sink = FileSink(self.url, maximumSize: 1000, keeping: 1) { descriptor, bytes in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            return call % 2 == 0 ? -Int(EINTR) : Descriptor.put(descriptor, bytes.prefix(2))
        }
        try sink.write(LogBatch(texts: ["abcde", "f"]))
        #expect(self.lines() == ["abcde", "f"])
    }

    @Test func `a file that cannot be renamed grows on, and that is told`() throws {
        try FileManager.default.createDirectory(at: self.folder.file("app.log.1"), withIntermediateDirectories: false)
        let sink = FileSink(self.url, maximumSize: 4, keeping: 1)
        try sink.write(LogBatch(texts: ["a"]))
        let error = #expect(throws: PartialWrite.self) { try sink.write(LogBatch(texts: ["bcd", "e"])) }
        #expect(error?.written == 2)
        #expect(error?.description.hasPrefix("\(self.url.path) cannot be renamed: ") == true)
        #expect(self.lines() == ["a", "bcd", "e"])
    }

    #if os(Linux)
        @Test func `requests go on when the device is full, and that is told once`() async throws {
            let told = Told()
            let log = LoggingAccessory(to: .file(URL(filePath: "/dev/full"))) { told.add($0) }
            let transport = StubTransport()
            transport.route("*", .text("x"))
            let client = Client(baseURL: "https://api.test/") {
                $0.transport = transport
                $0.accessories = [log]
            }
            for _ in 0..<3 {
                #expect(try await client.send(LogCall()) == "x")
                await log.flush()
            }
            #expect(told.words == ["/dev/full: \(FileProblem(ENOSPC))"])
        }
    #endif

    @Test func `requests go on when there cannot be a file, and lines come when there can`() async throws {
        let told = Told()
        let url = self.folder.url.appending(path: "x/app.log")
        try Data().write(to: self.folder.file("x"))
        let log = LoggingAccessory(to: .file(url), format: .textWithoutTime) { told.add($0) }
        let transport = StubTransport()
        transport.route("*", .text("x"))
        let client = Client(baseURL: "https://api.test/") {
            $0.transport = transport
            $0.accessories = [log]
        }
        for _ in 0..<2 {
            #expect(try await client.send(LogCall()) == "x")
            await log.flush()
        }
        #expect(told.words == ["\(url.path): \(FileProblem(ENOTDIR))"])
        try FileManager.default.removeItem(at: self.folder.file("x"))
        _ = try await client.send(LogCall())
        await log.flush()
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 3 && lines.first == "4 lines were dropped")
    }
}
