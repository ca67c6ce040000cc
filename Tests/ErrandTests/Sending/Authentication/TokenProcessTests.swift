#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandLocks
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite(
        "Tokens that several processes share (G14, G18)", .serialized, .timeLimit(.minutes(60)), .paced,
        .enabled(if: TestProgram.areWanted, "ERRAND_PROGRAMS is not 1"))
    struct TokenProcessTests {
        /// A server that gives each refresh token out once, takes it once, and a token for a few requests.
        private final class Issuer: Sendable {
            private struct State {
                var number = 0
                var uses = 0
                var reuses = 0
            }

            private let state = Locked(State())

            var number: Int { self.state.withLock { $0.number } }
            /// How often a refresh token came that was no longer good.
            var reuses: Int { self.state.withLock { $0.reuses } }

            func renew(_ request: LoopbackRequest) -> LoopbackReply {
                let form = String(decoding: request.body, as: UTF8.self)
                return self.state.withLock { state in
                    guard form.split(separator: "&").contains("refresh_token=r\(state.number)") else {
                        state.reuses += 1
                        return .json(#"{"error":"invalid_grant"}"#, status: 400)
                    }
                    (state.number, state.uses) = (state.number + 1, 0)
                    let number = state.number
                    return .json(#"{"access_token":"a\#(number)","refresh_token":"r\#(number)"}"#)
                }
            }

            func answer(_ request: LoopbackRequest) -> LoopbackReply {
                self.state.withLock { state in
                    guard request.headers["Authorization"] == "Bearer a\(state.number)", state.uses < 4 else {
                        return .status(401)
                    }
                    state.uses += 1
                    return .status(200)
                }
            }
        }

        private let folder: TestFolder
        private let renewer: TestProgram
        private let server: LoopbackServer
        private let issuer = Issuer()

        init() async throws {
            self.folder = try TestFolder()
            self.renewer = try #require(TestProgram(besideTests: "TokenRenewer"))
            self.server = try LoopbackServer()
            self.server.add(LoopbackRoute("POST", "/token") { [issuer] in issuer.renew($0) })
            self.server.add(LoopbackRoute("GET", "/item") { [issuer] in issuer.answer($0) })
            try await self.store.save(OAuthToken(accessToken: "a0", refreshToken: "r0"))
        }

        private var store: TokenAuthenticator.FileStore {
            TokenAuthenticator.FileStore(file: self.folder.file("token"))
        }

        private func start(_ count: Int) async throws -> ChildProcess {
            try await ChildProcess.start(
                self.renewer, [self.folder.file("token").path, self.server.baseURL, "\(count)"])
        }

        @Test func `are renewed by one process at a time, and used by all`() async throws {
            var children: [ChildProcess] = []
            for _ in 0..<3 { children.append(try await self.start(40)) }
            for child in children {
                let result = try #require(await child.result())
                #expect(result.status == 0 && result.text.contains("done"), "\(result.text)")
            }
            #expect(self.issuer.reuses == 0)
            #expect(self.issuer.number >= 120 / 4 - 1)
            #expect(try await self.store.load()?.refreshToken == "r\(self.issuer.number)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: self.folder.url.path) == ["token"])
        }

        @Test func `are not held up by a process that is killed`() async throws {
            let (first, second) = (try await self.start(1_000_000), try await self.start(40))
            _ = try #require(await first.line { $0 == "begun" })
            first.kill()
            _ = await first.result()
            let result = try #require(await second.result())
            // What was renewed in the moment of the kill was perhaps not kept: then the server logs the others out, too.
            #expect(result.text.contains("done") || self.issuer.reuses > 0, "\(result.text)")
        }
    }
#endif
