internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

@Suite("Requests and responses: from and to Foundation", .timeLimit(.minutes(60)), .paced)
struct FoundationInteropTests {
    @Test func `a request becomes one of Foundation's and comes back`() throws {
        var request = HTTPRequest(
            method: .put, url: try HTTPURL("https://u:p@a.test:81/x%20y?q=1%2B#f"),
            headers: ["X-A": "1", "x-a": "2", "Cookie": "a=b", "cookie": "c=d", "Content-Type": "text/plain"],
            body: .bytes(Data("body".utf8)))
        request.allowedNetworks.cellular = false
        let theirs = try request.urlRequest()
        #expect(theirs.url?.absoluteString == request.url.string)
        #expect(theirs.httpMethod == "PUT")
        #expect(theirs.value(forHTTPHeaderField: "X-A") == "1, 2")
        #expect(theirs.value(forHTTPHeaderField: "Cookie") == "a=b; c=d")
        #expect(theirs.httpBody == Data("body".utf8))
        #expect(!theirs.allowsCellularAccess)
        let ours = try HTTPRequest(theirs)
        #expect(ours.method == .put)
        #expect(ours.url == request.url)
        #expect(ours.headers["x-a"] == "1, 2")
        #expect(ours.headers.count == 3)
        #expect(ours.allowedNetworks == request.allowedNetworks)
        guard case .bytes(Data("body".utf8)) = ours.body else {
            Issue.record("another body: \(ours.body)")
            return
        }
    }

    @Test func `a plain request stays plain`() throws {
        let url = try #require(URL(string: "http://a.test"))
        let ours = try HTTPRequest(URLRequest(url: url))
        #expect(ours.method == .get)
        #expect(ours.url.string == "http://a.test/")
        #expect(ours.headers.isEmpty)
        #expect(ours.allowedNetworks == .all)
        guard case .none = ours.body else {
            Issue.record("there is a body: \(ours.body)")
            return
        }
        let theirs = try ours.urlRequest()
        #expect(theirs.httpBody == nil)
        #expect(theirs.allHTTPHeaderFields?.isEmpty != false)
        #expect(theirs.allowsCellularAccess)
    }

    @Test func `brackets, which Foundation does not take, are encoded`() throws {
        let request = HTTPRequest(url: try HTTPURL("http://[::1]:80/[a]?b[]=%20"))
        #expect(try request.urlRequest().url?.absoluteString == "http://[::1]:80/%5Ba%5D?b%5B%5D=%20")
    }

    @Test func `what has no counterpart is refused`() throws {
        let url = try #require(URL(string: "http://a.test/"))
        var stream = URLRequest(url: url)
        stream.httpMethod = "POST"
        stream.httpBodyStream = InputStream(data: Data("x".utf8))
        #expect(#expect(throws: ErrandError.self) { try HTTPRequest(stream) }?.code == .unsupported)
        for text in ["ftp://a.test/", "file:///x"] {
            let other = URLRequest(url: try #require(URL(string: text)))
            #expect(#expect(throws: ErrandError.self) { try HTTPRequest(other) }?.code == .invalidURL)
        }
        var nowhere = URLRequest(url: url)
        nowhere.url = nil
        #expect(#expect(throws: ErrandError.self) { try HTTPRequest(nowhere) }?.code == .invalidURL)
        for body in [HTTPRequest.Body.file(URL(filePath: "/tmp/x")), .stream(BodyStream { { nil } }, length: 1)] {
            let request = HTTPRequest(method: .post, url: try HTTPURL(url), body: body)
            #expect(#expect(throws: ErrandError.self) { try request.urlRequest() }?.code == .unsupported)
        }
    }

    @Test func `a response becomes one of Foundation's and comes back`() throws {
        let url = try HTTPURL("http://a.test/x?y")
        let head = HTTPResponse.Head(
            status: 404,
            headers: [
                "B": "2", "A": "1", "a": "3", "Set-Cookie": "a=b; Expires=Thu, 01 Jan 2026 00:00:00 GMT",
                "Set-Cookie": "c=d",
            ])
        let theirs = try head.urlResponse(for: url)
        #expect(theirs.statusCode == 404)
        #expect(theirs.url?.absoluteString == url.string)
        #expect(theirs.value(forHTTPHeaderField: "a") == "1, 3")
        let ours = HTTPResponse.Head(theirs)
        #expect(ours.status == .notFound)
        #expect(ours.headers["B"] == "2")
        #expect(
            ours.headers.values(for: "Set-Cookie")
                == ["a=b; Expires=Thu, 01 Jan 2026 00:00:00 GMT", "c=d"])
    }
}
