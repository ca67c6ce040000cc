internal import Dispatch
internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Forms of several parts over a socket", .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct MultipartWireTests {
        private struct Upload: Endpoint {
            typealias Response = String

            var form: MultipartForm
            var headers: HTTPFields = [:]

            var path: EndpointPath { "upload" }
            var method: HTTPMethod { .post }
            var body: RequestBody { .multipart(self.form) }
        }

        private let server: LoopbackServer

        init() throws {
            self.server = try LoopbackServer()
            self.server.route("POST", "/upload") { .text("\($0.body.count)") }
        }

        @Test func `T62 and D24: fields, a file and a header of the call arrive, with their length`() async throws {
            var form = MultipartForm(["key": "value"], boundary: "Boundary+0123456789ABCDEF")
            form.append("DataName", data: Data("Data".utf8), filename: "DataFileName", contentType: "mime")
            let client = Client(baseURL: self.server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            }
            #expect(try await client.send(Upload(form: form, headers: ["X-Own": "1"])) == "244")
            let request = try #require(self.server.received.last)
            #expect(request.header("Content-Type") == "multipart/form-data; boundary=Boundary+0123456789ABCDEF")
            #expect(request.header("Content-Length") == "244")
            #expect(request.header("X-Own") == "1")
            let text = String(decoding: request.body, as: UTF8.self)
            #expect(
                text.hasPrefix(
                    "--Boundary+0123456789ABCDEF\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\nvalue\r\n"))
            #expect(text.contains("name=\"DataName\"; filename=\"DataFileName\"\r\nContent-Type: mime\r\n\r\nData\r\n"))
            #expect(text.hasSuffix("\r\n--Boundary+0123456789ABCDEF--\r\n"))
            await client.shutdown()
            self.server.stop()
        }

        @Test(arguments: [true, false])
        func `T63: the progress of a part of 20 kB comes to its end`(isStream: Bool) async throws {
            let recorder = EventRecorder()
            let client = Client(baseURL: self.server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
                $0.accessories = [recorder]
            }
            let data = Data(count: 20_000)
            var form = MultipartForm()
            if isStream {
                form.append(
                    "part", stream: FixtureBody.stream([data.prefix(12_000), data.dropFirst(12_000)]), length: 20_000)
            } else {
                form.append("part", data: data)
            }
            let count = try #require(Int64(try await client.send(Upload(form: form))))
            let sent = recorder.entries.compactMap { entry in
                if case .event(.sent(let progress)) = entry.call { progress } else { nil }
            }
            #expect(count > 20_000)
            #expect(sent.last == TransferProgress(bytes: count, total: count))
            await client.shutdown()
            self.server.stop()
        }

        @Test func `D28: a file that becomes shorter while the form is sent fails the request`() async throws {
            let folder = try FixtureFolder()
            let file = try folder.file("f", Data(count: 400_000))
            let client = Client(baseURL: self.server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            }
            var form = MultipartForm()
            // Sent before the file, which is whole until then.
            let shortening = BodyStream {
                { () async throws(ErrandError) -> Data? in
                    try? FileHandle(forWritingTo: file).truncate(atOffset: 10)
                    return nil
                }
            }
            form.append("stream", stream: shortening, length: 0)
            form.append("file", file: file)
            let error = await #expect(throws: ErrandError.self) { try await client.send(Upload(form: form)) }
            #expect(error?.code == .encodingFailed)
            await client.shutdown()
            self.server.stop()
        }

        /// In a process of its own, whose main actor nobody else waits for.
        @Test func `D29: a form is sent while the main actor is blocked`() async {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer()
                server.route("POST", "/upload") { .text("\($0.body.count)") }
                let client = Client(baseURL: server.baseURL) {
                    $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
                }
                let folder = try FixtureFolder()
                var form = MultipartForm(["a": "1"])
                form.append("file", file: try folder.file("f", Data(count: 1_000_000)))
                form.append("stream", stream: FixtureBody.stream([Data(count: 5)]))
                let done = DispatchSemaphore(value: 0)
                let answer = Box()
                Task.detached { [form] in
                    answer.set(try? await client.send(Upload(form: form)))
                    done.signal()
                }
                await MainActor.run {
                    #expect(done.wait(timeout: .now() + 3_600) == .success)
                }
                #expect(answer.count ?? 0 > 1_000_005)
                server.stop()
            }
        }

        private final class Box: Sendable {
            private let text = Locked<String?>(nil)

            var count: Int? { self.text.withLock { $0.flatMap { Int($0) } } }

            func set(_ new: String?) { self.text.withLock { $0 = new } }
        }
    }
#endif
