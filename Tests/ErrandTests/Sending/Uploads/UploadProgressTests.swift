internal import ErrandLocks
internal import ErrandMachines
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("How far an upload is, whatever a server says (G12, G17)", .timeLimit(.minutes(60)), .paced)
struct UploadProgressTests {
    private static let here = HTTPURL.fixture("https://a.example/files")
    private static let there = HTTPURL.fixture("https://a.example/uploads/1")

    private static func offset(_ offset: Int64, _ status: Int = 204) -> UploadMachine.Outcome {
        let fields: HTTPFields = ["Upload-Offset": "\(offset)"]
        return .response(HTTPResponse.Head(status: HTTPStatus(rawValue: status), headers: fields))
    }

    /// An upload of a length that nobody knows, whose connection was lost.
    private static func lost() -> UploadMachine {
        var machine = UploadMachine(.draft(version: 8), length: nil, isIdempotent: false)
        let fields: HTTPFields = ["Upload-Draft-Interop-Version": "8", "Location": "/uploads/1"]
        let isThere = machine.announced(HTTPResponse.Head(status: 104, headers: fields), from: Self.here)
        let step = machine.created(.lost, from: Self.here, count: nil)
        #expect(isThere && step == .ask(Self.there, after: .zero))
        return machine
    }

    // MARK: - Content of a length that is not known

    @Test(arguments: [51, 1_000_000, 999_999_999_999_999] as [Int64])
    func `a server cannot have more than was read of the content`(offset: Int64) {
        var machine = Self.lost()
        let step = machine.asked(Self.offset(offset), atMost: 50)
        #expect(step == .fail(.isBeyondEnd(offset)))
    }

    @Test func `a server may have all that was read of the content`() {
        var machine = Self.lost()
        let step = machine.asked(Self.offset(50), atMost: 50)
        #expect(step == .append(Self.there, from: 50, count: nil))
    }

    @Test func `a stream notes how far it was read, from wherever`() async throws {
        let source = try UploadSource(
            .stream(
                BodyStream(seekable: { offset in
                    var position = offset
                    return { () async throws(ErrandError) -> Data? in
                        guard position < 100 else { return nil }
                        position += 10
                        return Data(count: 10)
                    }
                }), length: nil))
        #expect(source.length == nil && source.most == 0)
        guard case .stream(let first, nil) = try source.content(from: 0, count: nil),
            case .stream(let rest, nil) = try source.content(from: 60, count: nil)
        else {
            Issue.record("no streams")
            return
        }
        var chunks = first.makeAsyncIterator()
        for _ in 0..<3 { _ = try await chunks.next() }
        #expect(source.most == 30)
        var others = rest.makeAsyncIterator()
        _ = try await others.next()
        #expect(source.most == 70)
        _ = try await chunks.next()
        #expect(source.most == 70)
    }

    @Test func `the length of other content is the most that a server can have`() throws {
        #expect(try UploadSource(.bytes(Data(count: 7))).most == 7)
        let stream = BodyStream(seekable: { _ in { () async throws(ErrandError) in nil } })
        #expect(try UploadSource(.stream(stream, length: 9)).most == 9)
    }

    #if os(Linux)
        @Test func `an offset beyond what was sent does not reach the content of the app`() async throws {
            let scene = try UploadScene()
            scene.server.cut(after: 400_000)
            scene.server.answerNext(
                "HEAD", .status(204, headers: ["Upload-Offset": "900000000", "Upload-Complete": "?0"]))
            let content = scene.content
            let offsets = Locked<[Int64]>([])
            let stream = BodyStream(seekable: { offset in
                offsets.withLock { $0.append(offset) }
                var rest = content.dropFirst(Int(clamping: offset))
                return { () async throws(ErrandError) -> Data? in
                    defer { rest = rest.dropFirst(10_000) }
                    return rest.isEmpty ? nil : rest.prefix(10_000)
                }
            })
            let call = UploadCallFixture(body: .stream(stream), uploadResumption: .automatic)
            let error = await streamingFailure { _ = try await scene.client().send(call) }
            #expect(error?.code == .invalidResponse)
            #expect(error?.message.contains("900000000 bytes, more than were sent") == true)
            #expect(offsets.withLock { $0 } == [0])
            #expect(!scene.methods.contains("PATCH"))
        }
    #endif

    // MARK: - Servers that take next to nothing

    @Test func `a server that takes a byte with each request is not asked for ever`() {
        var machine = UploadMachine(.tus, length: 1_000_000, isIdempotent: false)
        let fields: HTTPFields = ["Location": "/uploads/1"]
        _ = machine.created(
            .response(HTTPResponse.Head(status: 201, headers: fields)), from: Self.here, count: 0)
        var steps: [UploadMachine.Step] = []
        for offset in 1...Int64(UploadMachine.trickleLimit + 1) {
            steps.append(machine.appended(Self.offset(offset), count: 1_000_000 - offset + 1))
        }
        #expect(steps.last == .fail(.takesNextToNothing))
        #expect(!steps.dropLast().contains(.fail(.takesNextToNothing)))
    }

    @Test func `nor is one that loses each connection after a byte`() {
        var machine = Self.lost()
        var rounds = 0
        var step = UploadMachine.Step.create
        while step != .fail(.takesNextToNothing), rounds < 1_000 {
            rounds += 1
            _ = machine.appended(.lost, count: nil)
            step = machine.asked(Self.offset(Int64(rounds)), atMost: .max)
        }
        #expect(rounds == UploadMachine.trickleLimit + 1)
    }

    @Test func `parts as small as the server wants them are no trickle`() {
        var machine = UploadMachine(.draft(version: 8), length: 1_000_000, isIdempotent: false)
        let fields: HTTPFields = [
            "Upload-Draft-Interop-Version": "8", "Location": "/uploads/1", "Upload-Limit": "max-append-size=2048",
        ]
        _ = machine.announced(HTTPResponse.Head(status: 104, headers: fields), from: Self.here)
        _ = machine.created(.lost, from: Self.here, count: nil)
        var step = machine.asked(Self.offset(0))
        for part in 1...Int64(2 * UploadMachine.trickleLimit) {
            #expect(step == .append(Self.there, from: (part - 1) * 2048, count: 2048))
            step = machine.appended(Self.offset(part * 2048), count: 2048)
        }
    }

    @Test func `chunks as small as the app wants them are taken as they are`() {
        var machine = UploadMachine(.tus, length: 1_000, isIdempotent: false, chunkSize: 1)
        let fields: HTTPFields = ["Location": "/uploads/1"]
        _ = machine.created(
            .response(HTTPResponse.Head(status: 201, headers: fields)), from: Self.here, count: 0)
        for offset in 1..<Int64(1_000) {
            let step = machine.appended(Self.offset(offset), count: 1)
            #expect(step == .append(Self.there, from: offset, count: 1))
        }
    }

    @Test func `a counter begins anew with each exchange that brings something`() {
        var counter = TrickleCounter(limit: 16)
        for round in 0..<1_000 {
            let isWorthMore = counter.note(round % 16 == 0 ? TrickleCounter.least : 1)
            #expect(isWorthMore)
        }
    }
}
