internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// The file by itself, in a folder of its own.
@Suite(.timeLimit(.minutes(60)), .paced)
final class BodyFileTests {
    private let folder: URL
    private let place: URL

    init() throws {
        self.folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)/")
        self.place = self.folder.appending(path: "file", directoryHint: .notDirectory)
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.folder)
    }

    private func write(_ text: String, to file: BodyFile) throws {
        let bytes = Array(text.utf8)
        try unsafe bytes.withUnsafeBytes { bytes in unsafe try file.write(bytes) }
    }

    private var content: String? {
        (try? Data(contentsOf: self.place)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `has what was written, and stays when it is finished`() throws {
        do {
            let file = BodyFile(self.place)
            try file.open()
            try self.write("hello, ", to: file)
            try self.write("", to: file)
            try self.write("you", to: file)
            #expect(try file.finish() == self.place)
        }
        #expect(self.content == "hello, you")
        let attributes = try FileManager.default.attributesOfItem(atPath: self.place.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `is removed when nobody holds it before it is finished`() throws {
        do {
            let file = BodyFile(self.place)
            try file.open()
            try self.write("hello", to: file)
            #expect(self.content == "hello")
        }
        #expect(self.content == nil)
    }

    @Test(arguments: [false, true])
    func `is removed once, finished or not`(isFinished: Bool) throws {
        let file = BodyFile(self.place)
        try file.open()
        if isFinished { _ = try file.finish() }
        file.discard()
        #expect(self.content == nil)
        try Data("another".utf8).write(to: self.place)
        file.discard()
        #expect(self.content == "another")
    }

    @Test func `leaves a file alone that was there`() throws {
        try Data("mine".utf8).write(to: self.place)
        do {
            let file = BodyFile(self.place)
            let error = #expect(throws: ErrandError.self) { try file.open() }
            #expect(error?.code == .fileFailed)
            file.discard()
        }
        #expect(self.content == "mine")
    }

    @Test func `makes nothing before it is opened`() throws {
        let file = BodyFile(self.place)
        #expect(throws: ErrandError.self) { try self.write("hello", to: file) }
        #expect(throws: ErrandError.self) { try file.finish() }
        file.discard()
        #expect(self.content == nil)
    }

    @Test func `takes nothing after it was removed`() throws {
        let file = BodyFile(self.place)
        try file.open()
        file.discard()
        let error = #expect(throws: ErrandError.self) { try self.write("hello", to: file) }
        #expect(error?.code == .fileFailed)
        #expect(self.content == nil)
    }

    @Test func `needs a folder, and a place in the file system`() throws {
        let missing = BodyFile(self.folder.appending(path: "missing/file"))
        #expect(#expect(throws: ErrandError.self) { try missing.open() }?.code == .fileFailed)
        let elsewhere = BodyFile(try #require(URL(string: "http://127.0.0.1/file")))
        #expect(#expect(throws: ErrandError.self) { try elsewhere.open() }?.code == .unsupported)
    }
}
