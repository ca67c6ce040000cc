#if os(Linux)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// What goes through, and stays nowhere; in a process of its own.
    @Suite(
        "Forms larger than memory should be", .serialized, .timeLimit(.minutes(60)), .paced,
        .enabled("ERRAND_PROGRAMS is not 1, or there is no python3 or libcurl") {
            guard CurlTransport.isAvailable else { return false }
            return await PythonScripts.canServe()
        })
    struct LargeUploadTests {
        @Test func `a file of 4 GiB is sent with at most 32 MiB more memory`() async {
            await #expect(processExitsWith: .success) {
                let (size, folder) = (Int64(4) << 30, try FixtureFolder())
                // Of zeros, which take no room on the disk.
                let file = try folder.file("sparse", Data())
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: UInt64(size))
                try handle.close()
                let server = try await PythonScripts.sink()
                // On a machine that is busy it takes its time.
                let client = Client(baseURL: server.baseURL) { $0.options = $0.options.withoutTimeout() }

                func send(_ file: URL) async throws -> [Substring] {
                    var form = MultipartForm(["before": "1"], boundary: "boundary")
                    form.append("file", file: file, contentType: "application/octet-stream")
                    form.append("after", "2")
                    let answer = try await client.send(
                        FixtureText("") {
                            $0.method = .post
                            $0.body = .multipart(form)
                        })
                    return answer.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
                }

                // What is made once is there before anything is counted.
                _ = try await send(try folder.file("small", Data(count: 1 << 20)))
                let before = ProcessFootprint.residentKiB
                let isReset = ProcessFootprint.resetPeak()
                let answer = try await send(file)
                let growth = (isReset ? ProcessFootprint.peakKiB : ProcessFootprint.residentKiB) - before
                #expect(growth <= 32 << 10, "\(growth) KiB more than \(before) KiB")

                try #require(answer.count == 4)
                // All of it came, and what is not zero is the frame.
                let frame = """
                    --boundary\r
                    Content-Disposition: form-data; name="before"\r
                    \r
                    1\r
                    --boundary\r
                    Content-Disposition: form-data; name="file"; filename="sparse"\r
                    Content-Type: application/octet-stream\r
                    \r
                    \r
                    --boundary\r
                    Content-Disposition: form-data; name="after"\r
                    \r
                    2\r
                    --boundary--\r

                    """
                #expect(Int64(answer[0]) == size + Int64(frame.utf8.count))
                #expect(answer[1] == answer[0])
                #expect(answer[3].utf8.elementsEqual(frame.utf8))
                await client.shutdown()
                server.stop()
            }
        }
    }
#endif
