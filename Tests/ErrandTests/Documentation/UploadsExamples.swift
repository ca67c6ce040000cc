internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Resumable uploads".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct UploadsExamples {
        struct PutVideo: Endpoint {
            typealias Response = Void

            let name: String

            var path: EndpointPath { "videos/\(self.name)" }
            var method: HTTPMethod { .put }
        }

        struct Report: Sendable {
            let text: Data

            var length: Int64 { Int64(self.text.count) }

            func bytes(from offset: Int64) -> Data { self.text.dropFirst(Int(offset)).prefix(3) }
        }

        struct SendReport: Endpoint {
            typealias Response = Void

            let report: Report

            var path: EndpointPath { "reports" }
            var method: HTTPMethod { .post }
            var options: RequestOptions { .uploadResumption(.automatic) }

            var body: RequestBody {
                let stream = BodyStream(seekable: { offset in
                    var next = offset
                    return { () async throws(ErrandError) -> Data? in
                        let chunk = self.report.bytes(from: next)
                        next += Int64(chunk.count)
                        return chunk.isEmpty ? nil : chunk
                    }
                })
                return .stream(stream, length: self.report.length)
            }
        }

        private let folder: TestFolder
        private let transport = StubTransport()

        init() throws {
            self.folder = try TestFolder()
            self.transport.route("/*", method: .put, .status(.ok))
            self.transport.route("/*", method: .post, .status(.ok))
        }

        private func makeClient() -> Client {
            Client(baseURL: "https://api.example.com/v1/") { $0.transport = self.transport }
        }

        @Test func `a file, with a record and without`() async throws {
            let (client, video) = (self.makeClient(), self.folder.file("tour.mp4"))
            let records = self.folder.url
            try Data("video".utf8).write(to: video)
            try await client.upload(PutVideo(name: "tour"), from: video, options: .uploadResumption(.automatic))
            try await client.upload(
                PutVideo(name: "tour"), from: video, options: .uploadResumption(.automatic(in: records)))
            #expect(self.transport.received.map { $0.headers["Content-Type"] } == ["video/mp4", "video/mp4"])
            #expect(self.transport.received.map { $0.headers["Upload-Complete"] } == ["?1", "?1"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: records.path) == ["tour.mp4"])
        }

        @Test func `content that the app makes`() async throws {
            try await self.makeClient().send(SendReport(report: Report(text: Data("a report".utf8))))
            #expect(self.transport.received.map { $0.headers["Upload-Length"] } == ["8"])
        }
    }
}
