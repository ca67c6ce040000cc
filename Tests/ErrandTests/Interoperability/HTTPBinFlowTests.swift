#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite(
        "httpbin: credentials, redirections and cookies", .timeLimit(.minutes(60)), .paced,
        .enabled(PythonScripts.comment) { await PythonScripts.canServeHTTPBin() })
    struct HTTPBinFlowTests {
        // MARK: - Credentials

        private static let users = [("user", "passwd"), ("u ü😀", "p:a;s s\""), ("empty", "%20")]

        private func path(_ kind: String, _ user: String, _ password: String) -> String {
            let words = [user, password].map {
                $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            }
            return "\(kind)/\(words[0])/\(words[1])"
        }

        @Test func `a credential is taken without being asked for`() async throws {
            let scene = try await HTTPBinScene()
            for kind in ["basic-auth", "hidden-basic-auth"] {
                for (user, password) in Self.users {
                    let call = HTTPBinCall(self.path(kind, user, password))
                    let response = try await scene.response(for: call) {
                        $0.credentials.origin = .basic(user: user, password: password)
                    }
                    #expect(response.value.authenticated == true && response.value.user == user)
                    #expect(response.attempts == 1)
                }
            }
        }

        @Test func `a credential that is wrong, or missing, is refused`() async throws {
            let scene = try await HTTPBinScene()
            for (kind, status) in [("basic-auth", HTTPStatus.unauthorized), ("hidden-basic-auth", .notFound)] {
                let call = HTTPBinCall(self.path(kind, "u", "p"))
                for credential in [nil, HTTPCredential.basic(user: "u", password: "wrong"), .bearer("p")] {
                    let error = try await scene.error(call) { $0.credentials.origin = credential }
                    #expect(error?.code == .unacceptableStatus)
                    #expect(error?.context.status == status)
                }
            }
        }

        @Test func `a challenge is answered, and a server that hides has none`() async throws {
            let scene = try await HTTPBinScene()
            let log = FixtureLog()
            let authenticator = FixtureAuthenticator { context in
                log.add("\(context.attempt) \(context.url.path) \(context.challenges)")
                return .basic(user: "u", password: context.attempt == 1 ? "wrong" : "p")
            }
            let response = try await scene.response(for: HTTPBinCall("basic-auth/u/p")) {
                $0.credentials.authenticator = authenticator
            }
            #expect(response.value.authenticated == true)
            #expect(response.attempts == 3)
            #expect(log.lines == (1...2).map { "\($0) /basic-auth/u/p [Basic realm=\"Fake Realm\"]" })
            let error = try await scene.error(HTTPBinCall("hidden-basic-auth/u/p")) {
                $0.credentials.authenticator = authenticator
            }
            #expect(error?.context.status == .notFound)
            #expect(log.lines.count == 2)
        }

        @Test func `a token is taken`() async throws {
            let scene = try await HTTPBinScene()
            let answer = try await scene.response(for: HTTPBinCall("bearer")) {
                $0.credentials.origin = .bearer("t.0-k_n~+/=")
            }
            #expect(answer.value.authenticated == true && answer.value.token == "t.0-k_n~+/=")
            #expect(try await scene.error(HTTPBinCall("bearer"))?.context.status == .unauthorized)
        }

        // MARK: - Redirections

        @Test(arguments: ["redirect", "relative-redirect", "absolute-redirect", "redirect/5?absolute=true"])
        func `redirections are followed to their end`(kind: String) async throws {
            let scene = try await HTTPBinScene()
            let path = kind.contains("?") ? kind : "\(kind)/5"
            let response = try await scene.response(for: HTTPBinCall(path) { $0.headers = ["X-Own": "1"] })
            #expect(response.value.url == scene.baseURL + "get")
            #expect(response.value.headers?["X-Own"] == "1")
            #expect(response.url.string == scene.baseURL + "get")
            #expect(response.redirects == 5)
            #expect(response.attempts == 6)
            for (policy, status, code) in [
                (RedirectPolicy.follow(limit: 5), HTTPStatus?.none, ErrandError.Code?.none),
                (.follow(limit: 4), .found, .tooManyRedirects), (.never, .found, .unacceptableStatus),
            ] {
                let error = try await scene.error(HTTPBinCall(path) { $0.options = .redirects(policy) })
                #expect(error?.code == code)
                if code == .unacceptableStatus { #expect(error?.context.status == status) }
            }
        }

        @Test func `method and content are sent again where the status says so`() async throws {
            let scene = try await HTTPBinScene()
            let folder = try FixtureFolder()
            let file = try folder.file("f.txt", Data("of a file".utf8))
            for (status, method, expected) in [
                (301, HTTPMethod.post, "GET"), (302, .post, "GET"), (303, .post, "GET"), (307, .post, "POST"),
                (308, .post, "POST"), (301, .put, "PUT"), (302, .patch, "PATCH"), (303, .put, "GET"),
                (307, .delete, "DELETE"),
            ] {
                var form = MultipartForm(["a": "1"])
                form.append("file", file: file)
                let sent = form
                let response = try await scene.response(
                    for: HTTPBinCall("redirect-to?status_code=\(status)&url=/anything?x%3D1%23part") {
                        $0.method = method
                        $0.body = .multipart(sent)
                    })
                let answer = response.value
                #expect(answer.method == expected, "\(status) \(method)")
                #expect(answer.args == ["x": "1"])
                #expect(response.url.fragment == "part")
                let isKept = expected != "GET"
                #expect(answer.form == (isKept ? ["a": "1"] : [:]), "\(status) \(method)")
                #expect(answer.files == (isKept ? ["file": "of a file"] : [:]))
                #expect((answer.headers?["Content-Type"] != nil) == isKept)
            }
        }

        @Test func `content that cannot be sent twice is not`() async throws {
            let scene = try await HTTPBinScene()
            let call = HTTPBinCall("redirect-to?status_code=307&url=/anything") {
                $0.method = .post
                $0.body = .stream(FixtureBody.stream([Data("a".utf8)], isRepeatable: false), length: 1)
            }
            #expect(try await scene.error(call)?.code == .invalidRedirect)
        }

        @Test func `secrets stay behind on the way to another server`() async throws {
            let (scene, other) = (try await HTTPBinScene(), try await HTTPBinScene())
            for (origin, isSame) in [(scene, true), (other, false)] {
                let response = try await scene.response(
                    for: HTTPBinCall("redirect-to") {
                        $0.parameters = ["url": .string(origin.baseURL + "headers")]
                        $0.headers = ["X-Key": "k", "X-Open": "o", "Cookie": "own=1"]
                    }
                ) {
                    $0.credentials.origin = .basic(user: "u", password: "p")
                    $0.credentials.secretHeaders = ["X-Key"]
                    $0.cookies = .perClient
                }
                let headers = try #require(response.value.headers)
                #expect(headers["Host"] == "127.0.0.1:\(origin.server.port)")
                #expect(headers["X-Open"] == "o")
                #expect(headers["Authorization"] == (isSame ? "Basic dTpw" : nil))
                #expect(headers["Cookie"] == (isSame ? "own=1" : nil))
                #expect(headers["X-Key"] == (isSame ? "k" : nil))
            }
        }

        // MARK: - Cookies

        @Test func `cookies are kept, sent back and removed`() async throws {
            let scene = try await HTTPBinScene()
            try await scene.withClient({ $0.cookies = .perClient }) { (client: Client) async throws in
                func cookies(_ path: String) async throws -> [String: String]? {
                    try await client.send(HTTPBinCall(path)).cookies
                }
                #expect(try await cookies("cookies") == [:])
                // Set by the redirection, and sent to where it leads.
                #expect(try await cookies("cookies/set?a=1&b=two%20words") == ["a": "1", "b": "two words"])
                #expect(try await cookies("cookies") == ["a": "1", "b": "two words"])
                #expect(try await cookies("cookies/set/a/3") == ["a": "3", "b": "two words"])
                #expect(try await cookies("cookies/delete?a") == ["b": "two words"])
                let own = HTTPBinCall("cookies") { $0.headers = ["Cookie": "b=own; c=4"] }
                #expect(try await client.send(own).cookies == ["b": "own", "c": "4"])
                #expect(try await cookies("cookies/delete?b") == [:])
            }
        }

        @Test func `cookies of one client are none of another's`() async throws {
            let scene = try await HTTPBinScene()
            let jar = CookieJar { Date() }
            let set = HTTPBinCall("cookies/set?a=1")
            for (policy, cookies) in [(CookiePolicy.off, [:]), (.perClient, ["a": "1"]), (.store(jar), ["a": "1"])] {
                #expect(try await scene.response(for: set) { $0.cookies = policy }.value.cookies == cookies)
            }
            let look = HTTPBinCall("cookies")
            for (policy, cookies) in [(CookiePolicy.off, [:]), (.perClient, [:]), (.store(jar), ["a": "1"])] {
                #expect(try await scene.response(for: look) { $0.cookies = policy }.value.cookies == cookies)
            }
        }
    }
#endif
