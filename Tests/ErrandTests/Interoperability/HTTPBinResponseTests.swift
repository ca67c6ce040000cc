#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite(
        "httpbin: what becomes of its responses", .timeLimit(.minutes(60)), .paced,
        .enabled(PythonScripts.comment) { await PythonScripts.canServeHTTPBin() })
    struct HTTPBinResponseTests {
        // MARK: - Statuses

        @Test func `a status is what httpbin was asked for`() async throws {
            let scene = try await HTTPBinScene()
            let statuses = [
                200, 201, 202, 203, 204, 205, 206, 226, 300, 304, 305, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409,
                410, 411, 412, 413,
                414, 415, 416, 417, 418, 421, 422, 423, 424, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 507,
                511, 599,
            ]
            try await scene.withClient { client in
                for status in statuses {
                    let call = FixtureText("status/\(status)") { $0.validation = .any }
                    let response = try await client.response(for: call)
                    #expect(response.head.status.code == status)
                    if [204, 205, 304].contains(status) { #expect(response.value == "") }
                    let error = try await scene.error(FixtureText("status/\(status)"))
                    #expect(error?.code == (200...299 ~= status ? nil : .unacceptableStatus), "\(status)")
                    #expect(error?.context.status?.code == (200...299 ~= status ? nil : status))
                }
            }
        }

        @Test(arguments: [HTTPMethod.get, .post, .put, .patch, .delete])
        func `a status does not depend on the method`(method: HTTPMethod) async throws {
            let scene = try await HTTPBinScene()
            let error = try await scene.error(FixtureText("status/418") { $0.method = method })
            #expect(error?.context.status == 418)
            #expect(error?.context.method == method.rawValue)
            let teapot = String(decoding: error?.context.body ?? Data(), as: UTF8.self)
            #expect(teapot.contains("teapot"))
        }

        @Test func `a condition that does not hold is a 304 or a 412 for who asked`() async throws {
            let scene = try await HTTPBinScene()
            for (headers, status) in [
                (HTTPFields(), 200), (["If-None-Match": "\"e\""], 304), (["If-None-Match": "\"x\""], 200),
                (["If-Match": "\"x\""], 412), (["If-Match": "\"e\""], 200),
            ] {
                let response = try await scene.response(
                    for: FixtureText("etag/e") {
                        $0.headers = headers
                        $0.validation = .any
                    })
                #expect(response.head.status.code == status, "\(headers)")
                #expect(response.value.isEmpty == (status != 200))
            }
        }

        // MARK: - Codings

        @Test func `a compressed response is read as what it was`() async throws {
            let scene = try await HTTPBinScene()
            let gzip = try await scene.answer("gzip")
            #expect(gzip.gzipped == true && gzip.method == "GET")
            let accepted = gzip.headers?["Accept-Encoding"] ?? ""
            #expect(accepted.contains("gzip") && accepted.contains("deflate"))
            #expect(try await scene.answer("deflate").deflated == true)
            // Whoever says that it reads Brotli has to; a libcurl without it does not say so.
            let brotli = HTTPBinCall("brotli")
            if accepted.contains("br") {
                let answer = try await scene.response(for: brotli).value
                #expect(answer.brotli == true && answer.method == "GET")
            } else {
                #expect(try await scene.error(brotli) != nil)
            }
        }

        @Test func `content is decoded whatever the request says that it accepts`() async throws {
            let scene = try await HTTPBinScene()
            for own in ["identity", "gzip"] {
                let call = HTTPBinCall("gzip") { $0.headers = ["Accept-Encoding": own] }
                let response = try await scene.response(for: call)
                #expect(response.value.gzipped == true)
                #expect(response.value.headers?["Accept-Encoding"] == own)
                #expect(response.head.headers["Content-Encoding"] == "gzip")
            }
        }

        // MARK: - Content

        @Test func `content of every kind is what httpbin says it is`() async throws {
            let scene = try await HTTPBinScene()
            // Debian's has another text there than the original.
            #expect(try await !scene.response(for: FixtureText("encoding/utf8")).value.isEmpty)
            #expect(try await scene.response(for: FixtureText("base64/w6nwn5iA")).value == "é😀")
            #expect(
                try await scene.response(for: FixtureText("robots.txt")).value == "User-agent: *\nDisallow: /deny\n")
            for (path, type, start) in [
                ("html", "text/html", Data("<!DOCTYPE html>".utf8)), ("xml", "application/xml", Data("<?xml".utf8)),
                ("image/png", "image/png", Data([0x89, 0x50, 0x4E, 0x47])),
                ("image/jpeg", "image/jpeg", Data([0xFF, 0xD8])),
                ("image/webp", "image/webp", Data("RIFF".utf8)), ("image/svg", "image/svg+xml", Data("<svg".utf8)),
            ] {
                let accepted = try #require(MIMEType(type))
                let response = try await scene.response(for: HTTPBinRaw(path, accepting: [accepted]))
                #expect(response.value.starts(with: start), "\(path)")
                #expect(response.head.contentType?.matches(accepted) == true, "\(path)")
                let other = HTTPBinRaw(path, accepting: ["text/csv"])
                #expect(try await scene.error(other)?.code == .unacceptableContentType, "\(path)")
            }
        }

        @Test func `a part of the content comes with a 206`() async throws {
            let scene = try await HTTPBinScene()
            let letters = Data((0..<1000).map { UInt8(ascii: "a") + UInt8($0 % 26) })
            for (range, part, status) in [
                (nil, letters[...], 200), ("bytes=10-19", letters[10..<20], 206), ("bytes=-5", letters[995...], 206),
                ("bytes=990-", letters[990...], 206),
            ] {
                let response = try await scene.response(for: HTTPBinRaw("range/1000") { $0["Range"] = range })
                #expect(response.value == part)
                #expect(response.head.status.code == status)
            }
            let beyond = HTTPBinRaw("range/1000") { $0["Range"] = "bytes=2000-" }
            #expect(try await scene.error(beyond)?.context.status == .rangeNotSatisfiable)
        }

        // MARK: - Streams

        @Test(arguments: [1, 100]) func `lines come one by one, in their order`(count: Int) async throws {
            let scene = try await HTTPBinScene()
            let read = try await scene.withClient { client in
                try await client.stream(HTTPBinCall("stream/\(count)?x=1")) { response in
                    #expect(response.head.headers["Transfer-Encoding"] == "chunked")
                    return try await streamingAll(response.body)
                }
            }
            let lines = try read.split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(HTTPBinAnswer.self, from: $0)
            }
            #expect(lines.map(\.id) == (0..<count).map { $0 })
            #expect(lines.allSatisfy { $0.args == ["x": "1"] })
            // The same in memory, as one text.
            let text = try await scene.response(for: FixtureText("stream/\(count)?x=1")).value
            #expect(text.split(separator: "\n").count == count)
        }

        @Test func `bytes are the same with a length, in chunks and in a file`() async throws {
            let scene = try await HTTPBinScene()
            let folder = try FixtureFolder()
            let bytes = try await scene.response(for: HTTPBinRaw("bytes/100000?seed=7")).value
            #expect(bytes.count == 100_000)
            for size in [1, 1000, 99_999] {
                let path = "stream-bytes/\(size == 1 ? 1000 : 100_000)?seed=7&chunk_size=\(size)"
                let chunks = try await scene.response(for: HTTPBinRaw(path)).value
                #expect(chunks == bytes.prefix(chunks.count) && chunks.count >= 1000)
            }
            let file = folder.url.appending(path: "bytes")
            let download = try await scene.withClient {
                try await $0.download(HTTPBinRaw("stream-bytes/100000?seed=7"), to: file)
            }
            #expect(download.size == 100_000)
            #expect(try Data(contentsOf: file) == bytes)
            let drip = try await scene.response(for: FixtureText("drip?numbytes=5&duration=0&code=202"))
            #expect(drip.value == "*****" && drip.head.status == .accepted)
        }
    }

    /// A call that answers bytes.
    struct HTTPBinRaw: Endpoint {
        let path: EndpointPath
        var headers: HTTPFields = [:]
        var validation = ResponseValidation.success

        init(_ path: String, accepting types: [MIMEType]? = nil, _ configure: (inout HTTPFields) -> Void = { _ in }) {
            self.path = EndpointPath(uncheckedReference: path)
            self.validation.contentTypes = types
            configure(&self.headers)
        }
    }
#endif
