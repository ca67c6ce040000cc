internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import Testing

@testable internal import Errand

/// A server for uploads that are resumed, a folder of its own, and a file to send.
final class UploadScene: Sendable {
    let server: ResumableUploadServer
    let folder: URL
    let recorder = EventRecorder()
    let clock = LeapingClock()
    let content: Data

    init(_ kind: ResumableUploadServer.Kind = .draft(interopVersion: 8), size: Int = 1_000_000) throws {
        self.server = try ResumableUploadServer(kind)
        self.folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)/")
        self.content = streamingBytes(size)
        try FileManager.default.createDirectory(at: self.records, withIntermediateDirectories: true)
        try self.content.write(to: self.file)
    }

    deinit {
        self.server.server.stop()
        try? FileManager.default.removeItem(at: self.folder)
    }

    var file: URL { self.folder.appending(path: "file.txt", directoryHint: .notDirectory) }

    /// Where uploads are recorded.
    var records: URL { self.folder.appending(path: "records", directoryHint: .isDirectory) }

    /// What has been left there.
    var recordNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: self.records.path) }
    }

    /// A client of the server whose clock leaps over every wait.
    func client(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        Client(baseURL: self.server.server.baseURL) {
            $0.accessories = [self.recorder]
            $0.options = $0.options.withoutTimeout()
            $0.environment.clock = self.clock
            configure(&$0)
        }
    }

    static func call(_ method: HTTPMethod = .post, _ configure: (inout FixtureText) -> Void = { _ in }) -> FixtureText {
        FixtureText("files") {
            $0.method = method
            configure(&$0)
        }
    }

    /// Uploads the file.
    @discardableResult
    func upload(
        _ resuming: UploadResumption = .automatic, _ call: FixtureText = UploadScene.call(), with client: Client? = nil
    ) async throws(ErrandError) -> String {
        try await (client ?? self.client()).upload(call, from: self.file, options: .uploadResumption(resuming))
    }

    /// The methods of all requests, in their order.
    var methods: [String] { self.server.requests.map(\.method) }

    /// Expects that the only upload is whole and right.
    func expectWhole(_ content: Data? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        let uploads = self.server.uploads.filter(\.isComplete)
        #expect(uploads.count == 1, sourceLocation: sourceLocation)
        #expect(uploads.first?.content == content ?? self.content, sourceLocation: sourceLocation)
    }

    /// What was told of the progress of what is sent.
    var sent: [TransferProgress] {
        self.recorder.entries.compactMap { entry in
            if case .event(.sent(let progress)) = entry.call { progress } else { nil }
        }
    }
}

/// A clock on which every wait is over at once, and that knows how long it would have been.
final class LeapingClock: Clock {
    private struct State {
        var now = ContinuousClock.now
        var sleeps: [Duration] = []
    }

    private let state = Locked(State())

    var now: ContinuousClock.Instant { self.state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    /// How long the waits were.
    var sleeps: [Duration] { self.state.withLock { $0.sleeps } }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        self.state.withLock { state in
            state.sleeps.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline)
        }
    }
}

extension BodyStream {
    /// Bytes that can be read from any offset on.
    static func seekable(_ data: Data, chunk: Int = 10_000) -> BodyStream {
        BodyStream(seekable: { offset in
            var rest = data.dropFirst(Int(offset))
            return { () async throws(ErrandError) -> Data? in
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(chunk) }
                return Data(rest.prefix(chunk))
            }
        })
    }
}
