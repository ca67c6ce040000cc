internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Sign in".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct SignInExamples {
        struct SignIn: Endpoint {
            typealias Response = OAuthToken

            let name: String
            let password: String

            var path: EndpointPath { "sign-in" }
            var method: HTTPMethod { .post }
            var body: RequestBody { .json(["name": self.name, "password": self.password]) }
            var options: RequestOptions { .credentials(.none) }
        }

        /// A user who signs in at once.
        private struct Browser {
            func open(_ url: URL) async throws -> URL {
                let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
                let state = try #require(items.first { $0.name == "state" }?.value)
                return try #require(URL(string: "com.example.app:/signed-in?code=c&state=\(state)"))
            }
        }

        private func makeTransport() -> StubTransport {
            let transport = Documented.makeTransport()
            transport.route("/token", .json(#"{"access_token":"a","token_type":"Bearer","refresh_token":"r"}"#))
            transport.route("/v1/sign-in", .json(#"{"access_token":"a","expires_in":3600,"refresh_token":"r"}"#))
            return transport
        }

        private func makeClients(_ file: URL) -> (login: Client, tokens: TokenAuthenticator, client: Client) {
            let login = Client(baseURL: "https://login.example.com/")
            let refresh = OAuthGrant.refreshToken(at: "https://login.example.com/token", clientID: "app")
            let tokens = TokenAuthenticator(store: .file(file)) { token in
                try await refresh.token(renewing: token, with: login)
            }
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.credentials = .authenticator(tokens)
            }
            return (login, tokens, client)
        }

        @Test func `an authorization code, and signing out`() async throws {
            let folder = try FixtureFolder()
            let file = folder.url.appending(path: "token")
            let transport = self.makeTransport()
            let (_, tokens, _) = self.makeClients(file)
            let login = Client(baseURL: "https://login.example.com/") { $0.transport = transport }
            let browser = Browser()
            let request = try OAuthGrant.AuthorizationRequest(
                at: "https://login.example.com/authorize", clientID: "app", redirectURL: "com.example.app:/signed-in",
                scope: "profile offline_access")
            let redirect = try await browser.open(request.url)
            let grant = try OAuthGrant.authorizationCode(
                in: redirect, for: request, at: "https://login.example.com/token")
            var token = try await grant.token(with: login)
            token.user = "ann"
            try await tokens.logIn(with: token)
            #expect(try await TokenAuthenticator.FileStore(file: file).load() == token)
            try await tokens.logOut()
            #expect(try await TokenAuthenticator.FileStore(file: file).load() == nil)
        }

        @Test func `a user name and a password`() async throws {
            let transport = self.makeTransport()
            let login = Client(baseURL: "https://login.example.com/") { $0.transport = transport }
            let tokens = TokenAuthenticator { _ in nil }
            let (name, password) = ("ann", "secret")
            let grant = OAuthGrant.password(
                at: "https://login.example.com/token", user: name, password: password, clientID: "app")
            try await tokens.logIn(with: grant.token(with: login))
            #expect(try await tokens.token?.refreshToken == "r")
            let client = Client(baseURL: "https://api.example.com/v1/") { $0.transport = transport }
            let token = try await client.send(SignIn(name: name, password: password))
            #expect(token.expiresAt != nil)
        }

        @Test func `a new sign-in`() async throws {
            let transport = StubTransport()
            transport.route("*", .status(401))
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.credentials.authenticator = TokenAuthenticator(
                    store: TokenAuthenticator.MemoryStore(OAuthToken(accessToken: "a"))
                ) { _ in throw ErrandError(.loginRequired, "over") }
            }
            await confirmation { isShown in
                func show(_: GetUser.Response) {}
                func show(_: ErrandError) {}
                func showSignIn() { isShown() }
                do throws(ErrandError) {
                    show(try await client.send(GetUser(userID: "1")))
                } catch {
                    if error.code == .loginRequired { showSignIn() } else { show(error) }
                }
            }
        }
    }
}
