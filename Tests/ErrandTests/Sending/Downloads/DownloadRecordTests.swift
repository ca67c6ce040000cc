internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The record of a download, whatever it says (G12, G17)", .timeLimit(.minutes(60)), .paced)
struct DownloadRecordTests {
    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
    }

    private var place: URL { self.folder.file("file") }

    private func open() async throws -> PartialDownload? {
        try await PartialDownload.open(try HTTPURL("https://api.test/a"), for: self.place, in: nil, isNamed: true)
    }

    /// Leaves a record that says this of its pieces, and their files.
    private func plant(_ pieces: [(String, String)], total: String = "10", size: Int64 = 4) async throws {
        let names = pieces.map { _ in UUID().uuidString }
        let list = zip(pieces, names).map { #"{"name":"\#($1)","first":\#($0.0),"end":\#($0.1)}"# }
        let (url, head) = (
            try HTTPURL("https://api.test/a"), HTTPResponse.Head(status: 200, headers: ["ETag": "\"1\""])
        )
        let representation = try #require(BodyRepresentation(head, from: url))
        let known = String(decoding: try JSONEncoder().encode(representation), as: UTF8.self)
        let record = """
            {"version":1,"url":"\(SHA256(of: url.string))","representation":\(known),"total":\(total),\
            "pieces":[\(list.joined(separator: ","))],"fields":{"Content-Type":"text/plain","Set-Cookie":"a=b"}}
            """
        // The folder that is there while it is open.
        let partial = try #require(try await self.open())
        let hidden = try #require(
            try FileManager.default.contentsOfDirectory(atPath: self.folder.url.path).first { $0.hasPrefix(".") })
        let inside = self.folder.url.appending(path: hidden)
        try Data(record.utf8).write(to: inside.appending(path: "record"))
        for name in names {
            let file = inside.appending(path: name)
            try Data().write(to: file)
            try #require(unsafe truncate(file.path, off_t(size)) == 0)
        }
        // Lets go of the lock, and leaves what is there.
        withExtendedLifetime(partial) {}
    }

    @Test func `a record that is right is gone on from`() async throws {
        try await self.plant([("0", "4")])
        let partial = try #require(try await self.open())
        #expect(try await partial.prepare()?.missing.there == 4)
        #expect(partial.fields == ["Content-Type": "text/plain"], "and says nothing of cookies")
        await partial.remove()
    }

    private static let impossible: [[(String, String)]] = [
        [("0", "-1")], [("0", "-9223372036854775808")], [("-1", "4")], [("-9223372036854775808", "null")],
        [("9223372036854775807", "null")], [("5", "4")], [("1", "null")], [("0", "4"), ("9", "-1")],
        [("0", "4"), ("-3", "2")], [],
    ]

    @Test(arguments: Self.impossible)
    func `a record with numbers that cannot be is none`(pieces: [(String, String)]) async throws {
        try await self.plant(pieces)
        let partial = try #require(try await self.open())
        #expect(try await partial.prepare() == nil)
        #expect(await partial.close() == nil)
    }

    @Test(arguments: ["-1", "0", "3", "-9223372036854775808"])
    func `a record with a length that cannot be is none`(total: String) async throws {
        try await self.plant([("0", "4")], total: total)
        let partial = try #require(try await self.open())
        #expect(try await partial.prepare() == nil)
        await partial.remove()
    }

    @Test(arguments: ForeignFile.possible)
    func `a record or a piece that others could have written is none`(way: ForeignFile) async throws {
        for isRecord in [true, false] {
            try await self.plant([("0", "4")])
            let hidden = try #require(
                try FileManager.default.contentsOfDirectory(atPath: self.folder.url.path).first { $0.hasPrefix(".") })
            let inside = self.folder.url.appending(path: hidden)
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: inside.path)
                    .first { isRecord ? $0 == "record" : !["record", "lock"].contains($0) })
            try way.apply(to: inside.appending(path: name))
            let partial = try #require(try await self.open())
            #expect(try await partial.prepare() == nil)
            await partial.remove()
        }
    }

    @Test(arguments: [
        "bytes 0-9223372036854775807/*", "bytes 9223372036854775807-9223372036854775807/*",
        "bytes 0-99999999999999999999/*", "bytes -1-5/6",
    ])
    func `a range that has no end is none`(field: String) {
        #expect(ContentRange(field) == nil)
    }
}
