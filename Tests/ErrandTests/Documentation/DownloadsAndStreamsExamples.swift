internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Downloads and streams".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct DownloadsAndStreamsExamples {
        struct SaveImage: Endpoint {
            typealias Response = DownloadedFile

            let name: String
            let folder: URL

            var path: EndpointPath { "images/\(self.name)" }
            var options: RequestOptions { .destination(.file(self.folder.appending(path: self.name))) }
        }

        private func withFolder(_ body: (URL) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await body(folder)
        }

        @Test func `a download, and a batch of them`() async throws {
            let client = Documented.makeClient()
            try await self.withFolder { folder in
                let file = try await client.download(GetImage(name: "sun"), to: folder.appending(path: "sun.png"))
                let line = "\(file.size) bytes in \(file.url.lastPathComponent)"
                #expect(line == "5 bytes in sun.png")
                let calls = ["sun", "moon"].map { SaveImage(name: $0, folder: folder) }
                let files = try await client.batch(of: calls).value
                #expect(try files.map { try String(contentsOf: $0.url, encoding: .utf8) } == ["image", "image"])
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                #expect(names == ["moon", "sun", "sun.png"])
            }
        }

        @Test func `a download that is resumed, and one with a digest`() async throws {
            let client = Documented.makeClient()
            try await self.withFolder { folder in
                let sun = try await client.download(GetImage(name: "sun"), into: folder)
                let name = sun.url.lastPathComponent
                #expect(name == "sun")
                let place = folder.appending(path: "moon.png")
                let moon = try await client.download(GetImage(name: "moon"), to: place, resuming: .automatic)
                #expect(moon.size == 5)
                let digest = "6105d6cc76af400325e94d588ce511be5bfdbb73b437dc51eca43917d7a43e3d"
                let star = try await client.download(GetImage(name: "star"), to: place, sha256: digest)
                #expect(star.size == 5)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["moon.png", "sun"])
            }
        }

        @Test func `a download in segments`() async throws {
            let client = Documented.makeClient()
            try await self.withFolder { folder in
                let video = folder.appending(path: "tour.mp4")
                let tour = try await client.download(
                    GetImage(name: "tour"), to: video, resuming: .automatic(segments: 4))
                #expect(tour.size == 5)
            }
        }

        @Test func `resume data`() async throws {
            let client = Documented.makeClient()
            try await self.withFolder { folder in
                let place = folder.appending(path: "moon.png")
                var resumeData: ResumeData?
                do throws(ErrandError) {
                    _ = try await client.download(GetImage(name: "moon"), to: place, resuming: .automatic)
                } catch {
                    resumeData = error.context.resumeData
                }
                if let resumeData {
                    let moon = try await client.download(GetImage(name: "moon"), to: place, resuming: .from(resumeData))
                    print(moon.size)
                }
                #expect(resumeData == nil)
            }
        }

        @Test func `a body that is read while it comes`() async throws {
            let client = Documented.makeClient()
            let size = try await client.stream(GetImage(name: "sun")) { response in
                var size = 0
                for try await chunk in response.body { size += chunk.count }
                return size
            }
            #expect(size == 5)
        }
    }
}
