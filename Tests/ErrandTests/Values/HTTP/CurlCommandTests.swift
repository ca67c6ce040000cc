internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Requests as curl commands", .timeLimit(.minutes(60)), .paced)
struct CurlCommandTests {
    private static let none: HTTPFields = ["Accept": "*/*", "User-Agent": "me", "Accept-Encoding": "gzip"]
    private static let noneText = "--header 'Accept: */*' --header 'User-Agent: me' --header 'Accept-Encoding: gzip'"

    private func command(
        _ method: HTTPMethod = .get, _ url: String = "http://a.test/", _ headers: HTTPFields = none,
        _ body: HTTPRequest.Body = .none, showingSecrets: Bool = false, secretHeaders: [String] = []
    ) throws -> String {
        try HTTPRequest(method: method, url: HTTPURL(url), headers: headers, body: body)
            .curlCommand(showingSecrets: showingSecrets, secretHeaders: secretHeaders)
    }

    @Test func `a plain GET`() throws {
        #expect(try self.command() == "curl http://a.test/ \(Self.noneText)")
        #expect(
            try self.command(.get, "http://a.test/?a=1&b", [:])
                == "curl 'http://a.test/?a=1&b' --header Accept: --header User-Agent: --compressed")
        let part = try self.command(.get, "http://a.test/", ["Range": "bytes=0-9"])
        #expect(part.hasSuffix(" --header 'Accept-Encoding: identity'"))
    }

    @Test(
        arguments: [
            (HTTPMethod.head, HTTPRequest.Body.none, "curl --head http://a.test/ ", ""),
            (.delete, .none, "curl --request DELETE http://a.test/ ", ""),
            (.post, .none, "curl http://a.test/ ", " --header Content-Type: --header Expect: --data-raw ''"),
            (
                .put, .none, "curl --request PUT http://a.test/ ",
                " --header Content-Type: --header Expect: --data-raw ''"
            ),
            (
                .post, .bytes(Data("x".utf8)), "curl http://a.test/ ",
                " --header Content-Type: --header Expect: --data-raw x"
            ),
            (
                .get, .bytes(Data("@x y".utf8)), "curl --request GET http://a.test/ ",
                " --header Content-Type: --header Expect: --data-raw '@x y'"
            ),
            (
                .put, .file(URL(filePath: "/tmp/it's")), "curl --request PUT http://a.test/ ",
                #" --header Content-Type: --header Expect: --data-binary '@/tmp/it'\''s'"#
            ),
            (
                .patch, .stream(BodyStream { { nil } }, length: nil), "curl --request PATCH http://a.test/ ",
                " --header Content-Type: --header Expect: --data-binary @-"
            ),
            (
                .post, .bytes(Data([0x61, 0x00, 0xFF, 0x25, 0x31])),
                #"printf 'a\000\377\045\061' | curl http://a.test/ "#,
                " --header Content-Type: --header Expect: --data-binary @-"
            ),
            (
                .post, .bytes(Data("\u{1B}[2J".utf8)), #"printf '\033\133\062J' | curl http://a.test/ "#,
                " --header Content-Type: --header Expect: --data-binary @-"
            ),
        ] as [(HTTPMethod, HTTPRequest.Body, String, String)])
    func `methods and bodies`(method: HTTPMethod, body: HTTPRequest.Body, start: String, end: String) throws {
        #expect(try self.command(method, "http://a.test/", Self.none, body) == start + Self.noneText + end)
    }

    @Test func `a large text comes through a pipe`() throws {
        let text = String(repeating: "ab ", count: 30_000)
        let command = try self.command(.post, "http://a.test/", Self.none, .bytes(Data(text.utf8)))
        #expect(command.hasPrefix(#"printf 'ab\040ab\040"#))
        #expect(command.hasSuffix("--data-binary @-"))
    }

    @Test func `a form with files and a stream is put together by the shell`() throws {
        let folder = try FixtureFolder()
        let file = try folder.file("it's", Data("s3cret".utf8))
        var form = MultipartForm(boundary: "b")
        form.append("f", file: file)
        form.append("s", stream: BodyStream { { nil } })
        let encoded = try #require(try RequestBody.multipart(form).encoded())
        let headers: HTTPFields = ["Content-Type": form.contentType.description]
        let command = try self.command(.post, "http://a.test/", headers, encoded.body, showingSecrets: true)
        let parts = try #require(command.components(separatedBy: " | ").first).split(separator: "; ")
        #expect(parts.count == 6)
        #expect(parts.first?.hasPrefix(#"{ printf '\055\055b\015\012Content"#) == true)
        #expect(parts[1] == "cat '\(file.path.replacing("'", with: #"'\''"#))'")
        #expect(parts[3] == "cat")
        #expect(parts[4].hasPrefix("printf '"))
        #expect(parts[5] == "}")
        #expect(command.contains("; } | curl http://a.test/ "))
        #expect(command.hasSuffix("--data-binary @-"))
        // All of a form may be secret.
        #expect(try self.command(.post, "http://a.test/", headers, encoded.body).hasSuffix("--data-raw '***'"))
        // Two streams cannot both come from the standard input.
        form.append("t", stream: BodyStream { { nil } })
        let two = try #require(try RequestBody.multipart(form).encoded()).body
        #expect(try self.command(.post, "http://a.test/", headers, two).hasPrefix("curl http://a.test/ "))
    }

    @Test func `a slower body is the same, and a packed one goes through gzip`() throws {
        let folder = try FixtureFolder()
        let file = try folder.file("it's", Data("s3cret".utf8))
        func end(_ body: RequestBody, showingSecrets: Bool = false) throws -> String {
            let encoded = try #require(try body.encoded())
            var headers = Self.none
            headers["Content-Type"] = encoded.contentType?.description
            headers["Content-Encoding"] = encoded.contentEncoding
            let command = try self.command(
                .post, "http://a.test/", headers, encoded.body, showingSecrets: showingSecrets)
            guard let pipe = command.range(of: " | curl ") else {
                return String(command[(command.range(of: "--data")?.lowerBound ?? command.startIndex)...])
            }
            #expect(command.hasSuffix("--data-binary @-"))
            return String(command[..<pipe.lowerBound])
        }
        let path = "'\(file.path.replacing("'", with: #"'\''"#))'"
        let atPath = "'@" + path.dropFirst()
        #expect(try end(.text("a b").throttled(bytesPerSecond: 9)) == "--data-raw 'a b'")
        #expect(try end(.json(["pwd": "x"]).throttled(bytesPerSecond: 9)) == #"--data-raw '{"pwd":"***"}'"#)
        #expect(try end(.file(file).throttled(bytesPerSecond: 9)) == "--data-binary \(atPath)")
        #expect(try end(.file(file).gzipped()) == "cat \(path) | gzip -6")
        #expect(try end(.file(file).gzipped(level: 0)) == "cat \(path) | gzip -1")
        #expect(try end(.file(file).throttled(bytesPerSecond: 9).gzipped(level: 9)) == "cat \(path) | gzip -9")
        #expect(try end(.file(file).gzipped().throttled(bytesPerSecond: 9)) == "cat \(path) | gzip -6")
        // Packed twice, or made while it is sent: that is for whoever runs the command.
        #expect(try end(.file(file).gzipped().gzipped()) == "--data-binary @-")
        #expect(try end(.stream(BodyStream { { nil } }).gzipped()) == "--data-binary @-")
        let bytes = RequestBody.text("a b").throttled(bytesPerSecond: 9).gzipped()
        #expect(try end(bytes) == "--data-raw '***'")
        #expect(try end(bytes, showingSecrets: true) == #"printf 'a\040b' | gzip -6"#)
        var form = MultipartForm(boundary: "b")
        form.append("f", file: file)
        let multipart = RequestBody.multipart(form)
        #expect(try end(multipart.throttled(bytesPerSecond: 9)) == "--data-raw '***'")
        #expect(
            try end(multipart.throttled(bytesPerSecond: 9), showingSecrets: true)
                == end(multipart, showingSecrets: true))
        #expect(try end(multipart.gzipped(), showingSecrets: true).hasSuffix("; } | gzip -6"))
    }

    @Test func `what a shell would take for its own is quoted`() throws {
        let command = try self.command(
            .get, "http://a.test/$(x)/;y/[1]/../~?a='&b=!!",
            ["Accept": "it's; $HOME `id`", "User-Agent": "", "X-A": "\"\\", "Accept-Encoding": "*"])
        #expect(
            command == "curl --globoff --path-as-is 'http://a.test/$(x)/;y/[1]/../~?a='\\''&b=!!' "
                + "--header 'Accept: it'\\''s; $HOME `id`' --header 'User-Agent;' --header 'X-A: \"\\' "
                + "--header 'Accept-Encoding: *'")
    }

    @Test func `what says how a message is framed is left to the program`() throws {
        let headers: HTTPFields = ["content-length": "3", "Transfer-Encoding": "chunked"]
        let command = try self.command(.post, "http://a.test/", Self.none + headers, .bytes(Data("abc".utf8)))
        #expect(!command.contains("3") && !command.contains("chunked"))
    }

    // MARK: - Secrets

    @Test func `secrets are hidden unless they are asked for`() throws {
        let headers: HTTPFields = [
            "Authorization": "Bearer s3cret", "Proxy-Authorization": "s3cret", "Cookie": "sid=s3cret",
            "X-Api-Key": "s3cret", "X-Tenant": "s3cret", "X-Plain": "plain",
        ]
        let url = "https://ann:s3cret@a.test/?token=s3cret&a=1#s3cret"
        let hidden = try self.command(.get, url, headers, secretHeaders: ["x-tenant"])
        #expect(!hidden.contains("s3cret"))
        #expect(hidden.contains("'Authorization: Bearer ***'"))
        #expect(hidden.contains("'Proxy-Authorization: ***'"))
        #expect(hidden.contains("'https://a.test/?token=***&a=1'"))
        #expect(hidden.contains("'X-Plain: plain'"))
        let shown = try self.command(.get, url, headers, showingSecrets: true)
        #expect(shown.contains("'Authorization: Bearer s3cret'"))
        #expect(shown.contains("'Cookie: sid=s3cret'"))
        // What Errand does not send is not there either.
        #expect(shown.contains("'https://a.test/?token=s3cret&a=1'"))
    }

    @Test func `of credentials the scheme is shown, of other fields nothing, and URLs have no secrets`() throws {
        let hidden = try self.command(
            .get, "http://a.test/",
            [
                "authorization": "Digest a, b=s3cret", "Proxy-Authorization": "Basic s3cret",
                "X-Authorization": "s3cret s3cret", "Referer": "https://u:s3cret@b.test/?token=s3cret&a=1#s3cret",
            ])
        #expect(!hidden.contains("s3cret"))
        #expect(hidden.contains("'authorization: Digest ***'"))
        #expect(hidden.contains("'Proxy-Authorization: Basic ***'"))
        #expect(hidden.contains("'X-Authorization: ***'"))
        #expect(hidden.contains("'Referer: https://b.test/?token=***&a=1'"))
    }

    @Test func `a client hides the fields that it was told of`() throws {
        let client = Client(baseURL: "http://a.test/") { $0.credentials.secretHeaders = ["X-Tenant"] }
        let endpoint = FixtureText("x") { $0.headers = ["x-tenant": "s3cret"] }
        #expect(try client.curlCommand(for: endpoint).contains("--header 'x-tenant: ***'"))
        #expect(try client.curlCommand(for: endpoint, showingSecrets: true).contains("x-tenant: s3cret"))
        #expect(throws: ErrandError.self) { try Client().curlCommand(for: endpoint) }
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "user=ann&pass%77ord=s3cret", "'user=ann&pass%77ord=***'"),
        ("application/json", #"{"user":"ann","api_key":"s3cret"}"#, #"'{"api_key":"***","user":"ann"}'"#),
        ("application/vnd.api+json", #"[{"token":{"a":"s3cret"}}, 1]"#, #"'[{"token":"***"},1]'"#),
        ("multipart/form-data; boundary=b", "--b s3cret", "'***'"),
    ])
    func `secrets in a body are hidden`(type: String, body: String, shown: String) throws {
        let headers: HTTPFields = ["Content-Type": type]
        let hidden = try self.command(.post, "http://a.test/", headers, .bytes(Data(body.utf8)))
        #expect(hidden.hasSuffix("--data-raw \(shown)"), "\(hidden)")
        #expect(!hidden.contains("s3cret"))
        let whole = try self.command(.post, "http://a.test/", headers, .bytes(Data(body.utf8)), showingSecrets: true)
        #expect(whole.contains("s3cret"))
    }

    @Test(arguments: [
        ("application/json", "{not json"), ("application/json", #"{"password":"s3cret"} {}"#),
        ("application/x-www-form-urlencoded", "a=1&\u{FFFD}"),
    ])
    func `a body that cannot be read is not shown`(type: String, text: String) throws {
        var body = Data(text.utf8)
        // Not UTF-8 any more.
        if text.contains("\u{FFFD}") { body.replaceSubrange(body.count - 3..<body.count, with: [0xFF]) }
        let hidden = try self.command(.post, "http://a.test/", ["Content-Type": type], .bytes(body))
        #expect(hidden.hasSuffix("'***'"), "\(hidden)")
    }

    @Test func `a compressed body is not shown, and a number that is too large does not matter`() throws {
        let packed = try #require(try RequestBody.json(["password": "s3cret"]).gzipped().encoded())
        let fields: HTTPFields = ["Content-Type": "application/json", "Content-Encoding": "gzip"]
        #expect(try self.command(.post, "http://a.test/", fields, packed.body).hasSuffix("'***'"))
        let large = try self.command(
            .post, "http://a.test/", ["Content-Type": "application/json"],
            .bytes(Data(#"{"pwd":"s3cret","e":1e400}"#.utf8)))
        #expect(!large.contains("s3cret"))
        #expect(large.contains("1e400"))
    }

    @Test(arguments: [
        ("application/json", #"{"b": 1.10, "a": "é"}"#), ("text/plain", "token=1"),
        ("application/x-www-form-urlencoded", "a=1&&b"), ("nonsense", "x"),
    ])
    func `a body without secrets is shown as it is`(type: String, body: String) throws {
        let hidden = try self.command(.post, "http://a.test/", ["Content-Type": type], .bytes(Data(body.utf8)))
        #expect(hidden.hasSuffix("'\(body)'") || hidden.hasSuffix(" \(body)"), "\(hidden)")
    }

    @Test(arguments: ["\u{301}", "\u{20D2}", "\u{FE0F}", "\u{200D}", "\u{1F3FB}"])
    func `a quote is escaped whatever combines with it`(mark: String) throws {
        let attack = "x'\(mark); touch /tmp/owned; echo '\(mark)"
        let escaped = "'x'\\''\(mark); touch /tmp/owned; echo '\\''\(mark)'"
        let command = try self.command(
            .post, "http://a.test/", ["Content-Type": "text/plain"], .bytes(Data(attack.utf8)))
        #expect(command.hasSuffix("--data-raw \(escaped)"), "\(command)")
        let field = try self.command(.get, "http://a.test/", ["X-A": attack])
        #expect(field.contains("'X-A: \(escaped.dropFirst())"), "\(field)")
    }
}

extension HTTPFields {
    fileprivate static func + (left: HTTPFields, right: HTTPFields) -> HTTPFields {
        HTTPFields(Array(left) + Array(right))
    }
}
