internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Redirects: the trail", .timeLimit(.minutes(60)), .paced)
struct RedirectTrailTests {
    private func request(_ url: String, _ method: HTTPMethod = .get, headers: HTTPFields = [:]) throws -> HTTPRequest {
        HTTPRequest(method: method, url: try HTTPURL(url), headers: headers)
    }

    private func head(_ location: String, _ status: HTTPStatus = 302) -> HTTPResponse.Head {
        HTTPResponse.Head(status: status, headers: ["Location": location])
    }

    /// Walks from location to location; answers where it came to, or the code of the error.
    private func walk(
        _ locations: [String], _ policy: RedirectPolicy = .follow(), status: HTTPStatus = 302,
        method: HTTPMethod = .get, cookies: [String?] = []
    ) throws -> Result<String, ErrandError> {
        var trail = RedirectTrail(policy)
        var request = try self.request("https://a.test/0", method)
        var sent = request
        do throws(ErrandError) {
            for (place, location) in locations.enumerated() {
                guard
                    let redirection = try trail.redirection(
                        of: request, sentAs: sent, by: self.head(location, status))
                else { break }
                #expect(redirection.hop == place + 1)
                request = try trail.next(after: redirection, from: request)
                sent = request
                if place < cookies.count { sent.headers["Cookie"] = cookies[place] }
                try trail.arrive(with: sent)
            }
            return .success(request.url.string)
        } catch {
            return .failure(error)
        }
    }

    @Test("ends at its limit", arguments: [0, 1, 5, 20])
    func limit(limit: Int) throws {
        let locations = (1...21).map { "/\($0)" }
        #expect(try self.walk(Array(locations.prefix(limit)), .follow(limit: limit)).fixtureFailure == nil)
        let error = try self.walk(Array(locations.prefix(limit + 1)), .follow(limit: limit)).fixtureFailure
        #expect(error?.code == .tooManyRedirects)
        #expect(error?.message == "more than \(limit) redirects, the last to https://a.test/\(limit + 1)")
    }

    @Test("has a limit of twenty unless another is set, and none below zero")
    func limits() {
        #expect(RedirectPolicy.follow().limit == 20)
        #expect(RedirectPolicy.decide { _ in .follow }.limit == 20)
        #expect(RedirectPolicy.follow(limit: -1).limit == 0)
        #expect(!RedirectPolicy.follow().allowsInsecure)
        #expect(RedirectPolicy.never.kind == .never)
    }

    @Test("does not go round in circles", arguments: [["/0"], ["/1", "/0"], ["/1", "/2", "/3", "/1"], ["/0#part"]])
    func circles(locations: [String]) throws {
        let error = try self.walk(locations).fixtureFailure
        #expect(error?.code == .invalidRedirect)
        #expect(error?.message.contains("loop") == true)
    }

    @Test("may come back to a URL with another query, method or cookie")
    func noCircles() throws {
        #expect(try self.walk(["/1", "/0?a", "/1?a", "/0?b"]).fixtureSuccess == "https://a.test/0?b")
        // The first was a POST, the second is a GET.
        #expect(try self.walk(["/0"], method: .post).fixtureSuccess == "https://a.test/0")
        #expect(try self.walk(["/0", "/0"], method: .post).fixtureFailure?.code == .invalidRedirect)
        #expect(try self.walk(["/0", "/0"], cookies: ["s=1", "s=2"]).fixtureSuccess == "https://a.test/0")
        #expect(try self.walk(["/0", "/0"], cookies: ["s=1", "s=1"]).fixtureFailure?.code == .invalidRedirect)
    }

    @Test("does not resend in circles", arguments: [HTTPStatus.temporaryRedirect, .permanentRedirect])
    func resendingInCircles(status: HTTPStatus) throws {
        #expect(try self.walk(["/0"], status: status, method: .post).fixtureFailure?.code == .invalidRedirect)
    }

    // MARK: - Decisions

    private func decided(
        _ location: String, _ policy: RedirectPolicy = .decide { _ in .follow }, headers: HTTPFields = [:],
        _ change: (inout HTTPRequest) throws -> Void
    ) throws -> Result<HTTPRequest, ErrandError> {
        var trail = RedirectTrail(policy, secrets: ["X-Key"])
        let request = try self.request("https://a.test/0", .post, headers: headers)
        let found = try trail.redirection(of: request, sentAs: request, by: self.head(location, 307))
        let redirection = try #require(found)
        var changed = redirection.request
        try change(&changed)
        do throws(ErrandError) {
            return .success(try trail.next(after: redirection, from: request, changed: changed))
        } catch {
            return .failure(error)
        }
    }

    @Test("sends what was decided on")
    func changed() throws {
        let next = try self.decided("/1") {
            $0.method = .put
            $0.url = try HTTPURL("https://b.test/2")
            $0.headers["X-New"] = "1"
        }.get()
        #expect(next.method == .put)
        #expect(next.url.string == "https://b.test/2")
        #expect(next.headers == ["X-New": "1"])
    }

    @Test("lets a decision make an insecure way a secure one, and not the other way round")
    func insecureDecisions() throws {
        let mended = try self.decided("http://b.test/") { $0.url = try HTTPURL("https://b.test/") }
        #expect(mended.fixtureSuccess?.url.string == "https://b.test/")
        let spoilt = try self.decided("https://b.test/") { $0.url = try HTTPURL("http://b.test/") }
        #expect(spoilt.fixtureFailure?.code == .invalidRedirect)
        let allowed = try self.decided("/", .decide(allowsInsecure: true) { _ in .follow }) {
            $0.url = try HTTPURL("http://b.test/")
        }
        #expect(allowed.fixtureSuccess?.url.string == "http://b.test/")
    }

    @Test("leaves secrets behind when a decision leads to another origin, but for those that it sets anew")
    func secretsOfDecisions() throws {
        let headers: HTTPFields = ["Authorization": "old", "Cookie": "a=1", "x-key": "k", "X-Other": "o"]
        let here = try self.decided("/1", headers: headers) { $0.url = try HTTPURL("https://a.test/2") }.get()
        #expect(here.headers == headers)
        let there = try self.decided("/1", headers: headers) {
            $0.url = try HTTPURL("https://b.test/")
            $0.headers["Authorization"] = "new"
        }.get()
        #expect(there.headers == ["Authorization": "new", "X-Other": "o"])
    }

    @Test("refuses what a decision must not send")
    func illegalDecisions() throws {
        let field = try self.decided("/1") { $0.headers["X-A"] = "1\r\nX-Evil: 1" }
        #expect(field.fixtureFailure?.code == .invalidRequest)
        let body = try self.decided("/1") { $0.body = .stream(BodyStream(isRepeatable: false) { { nil } }, length: 1) }
        #expect(body.fixtureFailure?.code == .invalidRedirect)
    }

    @Test("says what is asked for, so that a decision can be made")
    func redirections() throws {
        var trail = RedirectTrail(.follow())
        let request = try self.request("https://a.test/0#part", .post, headers: ["Cookie": "a=1"])
        let found = try trail.redirection(of: request, sentAs: request, by: self.head("//b.test/1", 303))
        let redirection = try #require(found)
        #expect(redirection.source == request.url)
        #expect(redirection.target.string == "https://b.test/1#part")
        #expect(redirection.status == 303)
        #expect(redirection.hop == 1)
        #expect(redirection.request.method == .get)
        #expect(redirection.request.url == redirection.target)
        #expect(redirection.request.headers.isEmpty)
        #expect(trail.hops == 1)
    }

    @Test("survives any location")
    func randomLocations() throws {
        var random = SplitMix64(seed: 7)
        let pieces = [
            "http", "https:", "//", "/", "..", "a", ":80", ":", "@", "?", "#", "%41", "%", "[", "]", "[::1]", "é", " ",
            "\t", "\u{0}", "\\", "<", "file:", "b.test", "é.test", "\u{7F}",
        ]
        var (followed, refused) = (0, 0)
        for _ in 0..<TestEffort.rounds(of: 20_000) {
            let location = (0..<Int.random(in: 0...8, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            switch try self.walk([location], .follow(allowsInsecure: true)) {
            case .success(let url):
                followed += 1
                #expect(try HTTPURL(url).string == url)
            case .failure(let error):
                refused += 1
                #expect(error.code == .invalidRedirect)
            }
        }
        #expect(min(followed, refused) > TestEffort.rounds(of: 1_000))
    }
}
