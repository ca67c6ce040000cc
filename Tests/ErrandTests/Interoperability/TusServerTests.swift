#if os(Linux)
    internal import Errand
    internal import ErrandLocks
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// Uploads to a server of tus that nobody here wrote.
    @Suite(
        "tus: uploads to tuspyserver (G17)", .serialized, .timeLimit(.minutes(60)), .paced,
        .enabled(PythonScripts.tusComment) { await PythonScripts.canServeTus() })
    struct TusServerTests {
        private let server: PythonServer
        private let client: Client
        private let folder: TestFolder
        private let content = streamingBytes(6_000_000)

        init() async throws {
            self.server = try await PythonScripts.tus()
            self.client = Client(baseURL: self.server.baseURL) { $0.options = $0.options.withoutTimeout() }
            self.folder = try TestFolder()
            try self.content.write(to: self.file)
        }

        private var file: URL { self.folder.file("film.bin") }

        private var call: FixtureText {
            FixtureText("files") { $0.method = .post }
        }

        private func upload(_ resumption: UploadResumption, _ options: RequestOptions = RequestOptions()) async throws {
            _ = try await self.client.upload(self.call, from: self.file, options: options.uploadResumption(resumption))
        }

        /// The digests of all that the server has.
        private func digests() async throws -> [String] {
            let data = Data(try await self.client.send(FixtureText("digests")).utf8)
            return try JSONDecoder().decode([String: String].self, from: data).values.sorted()
        }

        private func expectWhole() async throws {
            #expect(try await self.digests() == [SHA256(of: self.content).description], "\(self.server.complaint)")
        }

        @Test func `a file arrives`() async throws {
            try await self.upload(.tus)
            try await self.expectWhole()
            await self.client.shutdown()
        }

        @Test(arguments: [true, false]) func `it arrives in chunks`(sendsWithCreation: Bool) async throws {
            try await self.upload(.tus(in: nil, chunkSize: 1_500_000, sendsWithCreation: sendsWithCreation))
            try await self.expectWhole()
            await self.client.shutdown()
        }

        @Test func `an empty one arrives`() async throws {
            try Data().write(to: self.file)
            try await self.upload(.tus)
            #expect(try await self.digests() == [SHA256(of: "").description])
            await self.client.shutdown()
        }

        @Test func `it is refused by any other protocol, and without one`() async throws {
            for resumption in [UploadResumption.automatic, .never] {
                let error = await streamingFailure { try await self.upload(resumption) }
                #expect(error?.code == .unacceptableStatus)
                #expect(error?.context.status == 412)
            }
            #expect(try await self.digests().isEmpty)
            await self.client.shutdown()
        }

        /// Takes half a minute: so long the server locks an upload whose connection is gone.
        @Test(arguments: [3_456_789])
        func `an upload that was cancelled goes on with the next call`(count: Int64) async throws {
            let (recorder, records) = (EventRecorder(), self.folder.url)
            let canceller = Canceller(after: count)
            let request = self.client.request(
                TusFile(file: self.file, folder: records), options: .accessories([canceller]))
            canceller.onReached { request.cancel() }
            let error = await streamingFailure { _ = try await request.value }
            #expect(error?.code == .cancelled)
            try await self.upload(.tus(in: records), RequestOptions.accessories([recorder]))
            try await self.expectWhole()
            #expect(try FileManager.default.contentsOfDirectory(atPath: records.path) == ["film.bin"])
            await self.client.shutdown()
        }
    }

    private struct TusFile: Endpoint {
        let file: URL
        let folder: URL

        var path: EndpointPath { "files" }
        var method: HTTPMethod { .post }
        var body: RequestBody { .file(self.file) }
        var options: RequestOptions { .uploadResumption(.tus(in: self.folder)) }
    }

    /// Does something once, when so many bytes were sent.
    private final class Canceller: Accessory {
        private let count: Int64
        private let action = Locked<(@Sendable () -> Void)?>(nil)

        init(after count: Int64) {
            self.count = count
        }

        func onReached(_ action: @escaping @Sendable () -> Void) {
            self.action.withLock { $0 = action }
        }

        func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
            guard case .sent(let progress) = event, progress.bytes >= self.count else { return }
            self.action.withLock { $0.take() }?()
        }
    }
#endif
