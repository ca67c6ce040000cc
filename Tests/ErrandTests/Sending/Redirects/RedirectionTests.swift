internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Redirects: the next request (RFC 9110 §15.4)", .timeLimit(.minutes(60)), .paced)
struct RedirectionTests {
    private func next(
        _ request: HTTPRequest, _ status: HTTPStatus, _ location: String?, _ policy: RedirectPolicy = .follow(),
        secrets: [String] = []
    ) throws(ErrandError) -> HTTPRequest? {
        var trail = RedirectTrail(policy, secrets: secrets)
        let head = HTTPResponse.Head(status: status, headers: location.map { ["Location": $0] } ?? [:])
        guard let redirection = try trail.redirection(of: request, sentAs: request, by: head) else { return nil }
        return try trail.next(after: redirection, from: request)
    }

    private func code(
        _ request: HTTPRequest, _ status: HTTPStatus = 302, _ location: String, _ policy: RedirectPolicy = .follow()
    ) -> ErrandError? {
        do throws(ErrandError) {
            _ = try self.next(request, status, location, policy)
            return nil
        } catch {
            return error
        }
    }

    private func request(
        _ method: HTTPMethod = .get, _ url: String = "https://a.test/x/y", headers: HTTPFields = [:],
        body: HTTPRequest.Body = .none
    ) throws -> HTTPRequest {
        HTTPRequest(method: method, url: try HTTPURL(url), headers: headers, body: body)
    }

    // MARK: - Methods and content

    @Test(
        "method and content follow from the status",
        arguments: [
            (301, HTTPMethod.get, HTTPMethod.get, false), (301, .head, .head, false), (301, .post, .get, false),
            (301, .put, .put, true), (301, .patch, .patch, true), (301, .delete, .delete, true),
            (301, "REPORT", "REPORT", true), (302, .get, .get, false), (302, .head, .head, false),
            (302, .post, .get, false), (302, .put, .put, true), (302, .delete, .delete, true),
            (303, .get, .get, false), (303, .head, .head, false), (303, .post, .get, false), (303, .put, .get, false),
            (303, .delete, .get, false), (303, "REPORT", .get, false), (307, .get, .get, false),
            (307, .head, .head, false), (307, .post, .post, true), (307, .put, .put, true),
            (308, .get, .get, false), (308, .post, .post, true), (308, .patch, .patch, true),
        ])
    func methods(status: Int, method: HTTPMethod, expected: HTTPMethod, keepsContent: Bool) throws {
        let hasContent = method != .get && method != .head
        let sent = try self.request(
            method, headers: ["Content-Type": "text/plain", "X-A": "1"],
            body: hasContent ? .bytes(Data("body".utf8)) : .none)
        let next = try #require(try self.next(sent, HTTPStatus(rawValue: status), "/z"))
        #expect(next.method == expected)
        #expect(next.url.string == "https://a.test/z")
        #expect(next.headers["X-A"] == "1")
        if case .bytes(let data) = next.body {
            #expect(keepsContent)
            #expect(data == Data("body".utf8))
        } else {
            #expect(!keepsContent)
        }
        if keepsContent { #expect(next.headers["Content-Type"] == "text/plain") }
        if hasContent, !keepsContent { #expect(!next.headers.contains("Content-Type")) }
    }

    @Test("fields about the content go with it, and no others")
    func contentFields() throws {
        let sent = try self.request(
            .post,
            headers: [
                "Content-Type": "a/b", "content-length": "4", "CONTENT-ENCODING": "gzip", "Content-Language": "de",
                "Content-Location": "/", "Content-MD5": "x", "Content-Range": "bytes 0-1/2", "Digest": "x",
                "Repr-Digest": "x", "Last-Modified": "x", "Expect": "100-continue", "Trailer": "X-T",
                "Transfer-Encoding": "chunked", "Accept": "*/*", "Contents": "1", "X-Content-Type": "2",
                "Authorization": "Bearer t", "Cookie": "a=1", "Host": "virtual.test",
            ],
            body: .bytes(Data("body".utf8)))
        let next = try #require(try self.next(sent, 303, "/z"))
        let names = Set(next.headers.map(\.name))
        #expect(names == ["Accept", "Contents", "X-Content-Type", "Authorization", "Cookie", "Host"])
        let again = try #require(try self.next(sent, 307, "/z"))
        #expect(again.headers == sent.headers)
    }

    @Test("content that can be sent twice is", arguments: [301, 307, 308])
    func repeatableContent(status: Int) throws {
        let file = URL(fileURLWithPath: "/nowhere")
        let stream = BodyStream(isRepeatable: true) { { nil } }
        for body in [HTTPRequest.Body.none, .bytes(Data()), .file(file), .stream(stream, length: 3)] {
            #expect(try self.next(self.request(.put, body: body), HTTPStatus(rawValue: status), "/z") != nil)
        }
    }

    @Test("content that can be sent once only is an error, unless it stays behind")
    func contentOnceOnly() throws {
        let sent = try self.request(.post, body: .stream(BodyStream(isRepeatable: false) { { nil } }, length: nil))
        for status: HTTPStatus in [307, 308] {
            let error = self.code(sent, status, "/z?token=t")
            #expect(error?.code == .invalidRedirect)
            #expect(error?.message.contains("read only once") == true)
            #expect(error?.message.contains("token=t") == false)
        }
        for status: HTTPStatus in [301, 302, 303] { #expect(try self.next(sent, status, "/z")?.method == .get) }
    }

    // MARK: - Where to

    @Test("other statuses are no redirections", arguments: [200, 201, 300, 304, 305, 306, 309, 399, 401, 404, 500])
    func otherStatuses(status: Int) throws {
        #expect(try self.next(self.request(), HTTPStatus(rawValue: status), "/z") == nil)
    }

    @Test("a redirection that does not say where to is delivered", arguments: [nil, "", "  "])
    func withoutLocation(location: String?) throws {
        #expect(try self.next(self.request(), 302, location) == nil)
    }

    @Test(
        "the location is resolved against the URL that was asked for (RFC 3986 §5)",
        arguments: [
            ("/z", "https://a.test/z"), ("z", "https://a.test/x/z"), ("../z", "https://a.test/z"),
            ("?q=1", "https://a.test/x/y?q=1"), ("//b.test/z", "https://b.test/z"), (".", "https://a.test/x/"),
            ("https://b.test", "https://b.test/"), ("HTTPS://B.test:8443/z", "https://b.test:8443/z"),
            ("z#new", "https://a.test/x/z#new"), ("z#", "https://a.test/x/z#"), ("  /z  ", "https://a.test/z"),
            ("/größe und mehr", "https://a.test/gr%C3%B6%C3%9Fe%20und%20mehr"), ("/a%20b", "https://a.test/a%20b"),
        ])
    func locations(location: String, expected: String) throws {
        #expect(try self.next(self.request(), 302, location)?.url.string == expected)
    }

    @Test(arguments: [
        ("/a|b{c}d\"e<f>g^h`i\\j", "https://a.test/a%7Cb%7Bc%7Dd%22e%3Cf%3Eg%5Eh%60i%5Cj"),
        ("?a|b={c}&d=\"<>^`\\", "https://a.test/x/y?a%7Cb=%7Bc%7D&d=%22%3C%3E%5E%60%5C"),
        ("/100%", "https://a.test/100%25"), ("/%zz%4", "https://a.test/%25zz%254"), ("/%41%", "https://a.test/%41%25"),
        ("/a#b#c<d>%", "https://a.test/a#b%23c%3Cd%3E%25"), ("https://a.test/<x>", "https://a.test/%3Cx%3E"),
        ("https://b.test/a/../b/./c", "https://b.test/b/c"), ("https://b.test/..", "https://b.test/"),
        ("//b.test/a/..", "https://b.test/"), ("/a/./b/../c?d/../e", "https://a.test/a/c?d/../e"),
        ("/caf\u{10FEE9}", "https://a.test/caf%E9"), ("?a=\u{10FEE9}ß", "https://a.test/x/y?a=%E9%C3%9F"),
        ("https://bücher.test/ä?ö#ü", "https://xn--bcher-kva.test/%C3%A4?%C3%B6#%C3%BC"),
        ("//BÜCHER.test:8443", "https://xn--bcher-kva.test:8443/"),
        ("//ü:p@bücher.test/", "https://xn--bcher-kva.test/"),
        ("//xn--bcher-kva.test/", "https://xn--bcher-kva.test/"), ("//☃.test", "https://xn--n3h.test/"),
    ])
    func `the location is taken as browsers and curl take it`(location: String, expected: String) throws {
        #expect(try self.next(self.request(), 302, location)?.url.string == expected)
    }

    @Test(
        "the fragment goes along unless the location has one (RFC 9110 §10.2.2)",
        arguments: [
            ("https://a.test/x/y#part", "/z", "https://a.test/z#part"),
            ("https://a.test/x/y#part", "/z#other", "https://a.test/z#other"),
            ("https://a.test/x/y#part", "https://b.test/?q", "https://b.test/?q#part"),
            ("https://a.test/x/y#part", "/z#", "https://a.test/z#"), ("https://a.test/x/y#", "/z", "https://a.test/z#"),
            ("https://a.test/x/y", "/z", "https://a.test/z"),
        ])
    func fragments(url: String, location: String, expected: String) throws {
        #expect(try self.next(self.request(.get, url), 302, location)?.url.string == expected)
    }

    @Test(
        "a location that is no http or https URL is an error",
        arguments: [
            "file:///etc/passwd", "ftp://a.test/", "javascript:alert(1)", "data:,x", "http:", "http://", "//", "///x",
            "http://[::1", "http://a.test:99999/", "//a%20b/x", "//%00/", "http://a b/", "http:///x",
            "/a\u{0}b", "/a\tb", "mailto:x@a.test", "//ä b.test/", "//ä%20.test/", "https://a.test\\x", "//ä\\.test/",
            "//a\u{10FEE9}.test/", "//ä.test:x/",
        ])
    func noURL(location: String) throws {
        let error = self.code(try self.request(), 302, location)
        #expect(error?.code == .invalidRedirect)
        #expect(error?.message.contains("cannot be resolved") == true)
    }

    @Test("what is secret in a location does not show in the error")
    func redactedLocations() throws {
        let error = self.code(try self.request(), 302, "ftp://user:secret@a.test/?token=secret")
        #expect(error?.code == .invalidRedirect)
        #expect(error?.message.contains("secret") == false)
    }

    @Test("two locations that differ are an error")
    func twoLocations() throws {
        var trail = RedirectTrail(.follow())
        let request = try self.request()
        let same = HTTPResponse.Head(status: 302, headers: ["Location": "/z", "location": "/z"])
        #expect(try trail.redirection(of: request, sentAs: request, by: same)?.target.path == "/z")
        let other = HTTPResponse.Head(status: 302, headers: ["Location": "/z", "location": "/y"])
        let error = #expect(throws: ErrandError.self) {
            try trail.redirection(of: request, sentAs: request, by: other)
        }
        #expect(error?.code == .invalidRedirect)
    }

    // MARK: - Other origins

    @Test(
        "secrets stay on their origin",
        arguments: [
            ("https://a.test/z", true), ("/z", true), ("https://A.TEST:443/z", true), ("https://b.test/z", false),
            ("https://a.test:8443/z", false), ("https://a.test.evil.test/z", false), ("//u:p@b.test/", false),
            ("https://sub.a.test/", false),
        ])
    func secrets(location: String, keeps: Bool) throws {
        let sent = try self.request(headers: [
            "authorization": "Basic x", "Proxy-Authorization": "Basic y", "Cookie": "a=1", "cookie": "b=2",
            "Host": "virtual.test", "X-Auth-Token": "k", "X-Own": "k", "X-Other": "o", "Accept": "*/*",
        ])
        let next = try #require(try self.next(sent, 302, location, secrets: ["x-own"]))
        #expect(next.headers == (keeps ? sent.headers : ["X-Other": "o", "Accept": "*/*"]))
    }

    @Test("a way from http to https leads to another origin")
    func upgrade() throws {
        let sent = try self.request(.get, "http://a.test/", headers: ["Authorization": "Basic x"])
        let next = try #require(try self.next(sent, 301, "https://a.test/"))
        #expect(next.headers.isEmpty)
    }

    @Test("a way from https to http leads to another origin, on the same port too", arguments: ["", ":8443"])
    func secretsOfTheSecureOrigin(port: String) throws {
        let headers: HTTPFields = ["Authorization": "Basic x", "Cookie": "a=1", "X-API-Key": "k", "Accept": "*/*"]
        let sent = try self.request(.get, "https://a.test\(port)/", headers: headers)
        let policy = RedirectPolicy.follow(allowsInsecure: true)
        let next = try self.next(sent, 302, "http://a.test\(port)/", policy, secrets: ["X-API-Key"])
        #expect(next?.url.string == "http://a.test\(port)/")
        #expect(next?.headers == ["Accept": "*/*"])
    }

    @Test("from https to http it goes only where that is allowed")
    func downgrade() throws {
        let error = self.code(try self.request(), 302, "http://a.test/z?token=t")
        #expect(error?.code == .invalidRedirect)
        let words = "a redirect from https to http is not followed, unless the RedirectPolicy allows it"
        #expect(error?.message == "\(words): http://a.test/z?token=***")
        let next = try self.next(self.request(), 302, "http://a.test/z", .follow(allowsInsecure: true))
        #expect(next?.url.string == "http://a.test/z")
        #expect(try self.next(self.request(.get, "http://a.test/"), 302, "http://b.test/z") != nil)
    }
}
