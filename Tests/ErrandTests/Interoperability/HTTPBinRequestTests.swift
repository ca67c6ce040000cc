#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite(
        "httpbin: what it sees of a request", .timeLimit(.minutes(60)), .paced,
        .enabled(PythonScripts.comment) { await PythonScripts.canServeHTTPBin() })
    struct HTTPBinRequestTests {
        // MARK: - Methods and queries

        @Test func `each method arrives, with its path and query`() async throws {
            let scene = try await HTTPBinScene()
            for method in [HTTPMethod.get, .post, .put, .patch, .delete, .trace] {
                let answer = try await scene.answer("anything/a%20b?x=1") { $0.method = method }
                #expect(answer.method == method.rawValue)
                #expect(answer.args == ["x": "1"])
                #expect(
                    answer.url == scene.baseURL + "anything/a b?x=1"
                        || answer.url == scene.baseURL + "anything/a%20b?x=1")
                #expect(answer.data == "")
            }
            for (path, method) in [
                ("get", "GET"), ("post", "POST"), ("put", "PUT"), ("patch", "PATCH"), ("delete", "DELETE"),
            ] {
                let answer = try await scene.answer(path) { $0.method = HTTPMethod(rawValue: method) }
                #expect(answer.url == scene.baseURL + path)
                // The methods that another path is for.
                let other = HTTPBinCall(path) { $0.method = method == "PUT" ? .delete : .put }
                #expect(try await scene.error(other)?.context.status == .methodNotAllowed)
            }
        }

        @Test func `HEAD and OPTIONS are answered without content`() async throws {
            let scene = try await HTTPBinScene()
            let head = try await scene.response(for: FixtureText("get") { $0.method = .head })
            #expect(head.value == "")
            #expect(head.head.headers["Content-Length"].flatMap { Int($0) } ?? 0 > 0)
            let options = try await scene.response(for: FixtureText("anything") { $0.method = .options })
            #expect(options.value == "")
            #expect(options.head.headers["Allow"]?.contains("PATCH") == true)
        }

        @Test func `parameters of a GET are its arguments`() async throws {
            let scene = try await HTTPBinScene()
            let answer = try await scene.answer("get") {
                $0.parameters = [
                    "q": "a b+c&d=😀", "list": ["x", "y"], "user": ["name": "Ü"], "none": nil, "yes": true,
                ]
            }
            #expect(
                answer.args == [
                    "q": "a b+c&d=😀", "list[]": ["x", "y"], "user[name]": "Ü", "none": "", "yes": "1",
                ])
        }

        // MARK: - Bodies

        @Test func `a form is read as one`() async throws {
            let scene = try await HTTPBinScene()
            for method in [HTTPMethod.post, .put, .patch] {
                let answer = try await scene.answer(method.rawValue.lowercased()) {
                    $0.method = method
                    $0.parameters = ["a b": "1+1=2 & 😀", "list": ["x", "y"], "empty": ""]
                }
                #expect(answer.form == ["a b": "1+1=2 & 😀", "list[]": ["x", "y"], "empty": ""])
                #expect(answer.data == "")
                #expect(answer.headers?["Content-Type"] == "application/x-www-form-urlencoded")
            }
        }

        @Test func `a form of several parts is read as fields and files`() async throws {
            let scene = try await HTTPBinScene()
            let folder = try FixtureFolder()
            var form = MultipartForm(["a\"b\r\n": "1\r\n2", "list": ["x", "y"]])
            form.append("empty", "")
            form.append("large", String(repeating: "x", count: 64 << 10))
            form.append("text", file: try folder.file("😀.txt", Data("of a file".utf8)))
            form.append("bytes", data: Data([0, 255]), filename: "b")
            form.append(
                "stream", stream: FixtureBody.stream([Data("ab".utf8), Data("c".utf8)]), length: 3, filename: "c.txt")
            let sent = form
            let answer = try await scene.answer("post") {
                $0.method = .post
                $0.body = .multipart(sent)
            }
            #expect(
                answer.form == [
                    "a%22b%0D%0A": "1\r\n2", "list[]": ["x", "y"], "empty": "",
                    "large": HTTPBinAnswer.Values(stringLiteral: String(repeating: "x", count: 64 << 10)),
                ])
            #expect(
                answer.files == [
                    "text": "of a file", "bytes": "data:application/octet-stream;base64,AP8=", "stream": "abc",
                ])
        }

        @Test func `other bodies arrive to the byte`() async throws {
            let scene = try await HTTPBinScene()
            let folder = try FixtureFolder()
            let text = "é😀\r\n\u{0}"
            let bodies: [(RequestBody, String, String)] = [
                (.json(["a": [1, nil, "é"]] as Parameters), #"{"a":[1,null,"é"]}"#, "application/json"),
                (.text(text), text, "text/plain; charset=utf-8"),
                (.bytes(Data(text.utf8)), text, "application/octet-stream"),
                (.bytes(Data()), "", "application/octet-stream"),
                (.bytes(Data([255])), "data:application/octet-stream;base64,/w==", "application/octet-stream"),
                (.file(try folder.file("f", Data(text.utf8))), text, "application/octet-stream"),
                (
                    .stream(FixtureBody.stream([Data(text.utf8)]), length: Int64(text.utf8.count)), text,
                    "application/octet-stream"
                ),
            ]
            for (body, data, type) in bodies {
                let answer = try await scene.answer("post") {
                    $0.method = .post
                    $0.body = body
                }
                #expect(answer.data == data)
                #expect(answer.headers?["Content-Type"] == type)
                #expect(answer.form == [:])
            }
        }

        @Test func `a stream without a length is refused by it, in words`() async throws {
            let scene = try await HTTPBinScene()
            let call = HTTPBinCall("post") {
                $0.method = .post
                $0.body = .stream(FixtureBody.stream([Data("a".utf8)]))
            }
            // httpbin takes chunks behind gunicorn only.
            #expect(try await scene.error(call)?.context.status == .notImplemented)
        }

        // MARK: - Header fields

        @Test func `header fields arrive as they are sent`() async throws {
            let scene = try await HTTPBinScene()
            let headers = try await scene.answer("headers") {
                $0.headers = [
                    "X-One": "1", "x-two": "it's \"2\"; a=b, c", "X-Empty": "", "X-Twice": "a", "x-twice": "b",
                ]
            }.headers
            #expect(headers?["X-One"] == "1")
            #expect(headers?["X-Two"] == "it's \"2\"; a=b, c")
            #expect(headers?["X-Empty"] == "")
            // As WSGI joins them.
            #expect(headers?["X-Twice"] == "a,b")
            #expect(headers?["Host"] == "127.0.0.1:\(scene.server.port)")
            #expect(headers?["User-Agent"] == DefaultHeaders.standard.userAgent)
            #expect(headers?["Accept"] == "application/json")
            #expect(headers?["Accept-Language"] == DefaultHeaders.standard.acceptLanguage)
        }

        @Test func `the user agent is the one that was set, or none`() async throws {
            let scene = try await HTTPBinScene()
            let own = try await scene.answer("headers") { $0.headers = ["User-Agent": "app/1"] }
            #expect(own.headers?["User-Agent"] == "app/1")
            let none = try await scene.response(for: HTTPBinCall("headers")) { $0.options = .defaultHeaders(.off) }
                .value
            #expect(none.headers?["User-Agent"] == nil)
            #expect(none.headers?["Accept"] == nil)
        }

        @Test func `header fields of a response are there, each value by itself`() async throws {
            let scene = try await HTTPBinScene()
            let head = try await scene.response(
                for: FixtureText("response-headers?X-A=1&X-B=2&X-A=3&X-C=a%3B%20b%3D%22c%2C%20d%22")
            ).head
            #expect(head.headers.values(for: "x-a") == ["1", "3"])
            #expect(head.headers["X-B"] == "2")
            #expect(head.headers["X-C"] == "a; b=\"c, d\"")
        }
    }
#endif
