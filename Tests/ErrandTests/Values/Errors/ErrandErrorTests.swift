internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Errors (G12)", .timeLimit(.minutes(60)), .paced)
struct ErrandErrorTests {
    private let world = FixtureWorld()

    /// The error of a send; compiles only because the one error type is thrown.
    private func failure<E: Endpoint>(_ endpoint: E) async -> ErrandError? {
        do throws(ErrandError) {
            _ = try await self.world.client.send(endpoint)
            return nil
        } catch {
            return error
        }
    }

    @Test func `say which request it was and how far it came`() async throws {
        self.world.transport.route("a", .text("gone", status: 410))
        let request = self.world.client.request(FixtureText("a?x=1") { $0.method = .post })
        let error = try #require(await #expect(throws: ErrandError.self) { try await request.value })
        #expect(error.context.requestID == request.id)
        #expect(error.context.endpointName == "FixtureText")
        #expect(error.context.method == "POST")
        #expect(error.context.url == "https://api.test/a?x=1")
        #expect(error.context.attempts == 1)
        #expect(error.context.status == .gone)
        #expect(error.context.body == Data("gone".utf8))
        #expect(error.context.index == nil)
        #expect(error.cause == nil)
        #expect(error.message.contains("410"))
        #expect("\(error)" == "unacceptableStatus: the server answered 410 Gone: gone [POST https://api.test/a?x=1]")
    }

    @Test func `say less when there was less`() async throws {
        let refused = try #require(await self.failure(FixtureText("a b")))
        #expect(refused.context.requestID != nil)
        #expect(refused.context.url == nil)
        #expect(refused.context.method == nil)
        #expect(refused.context.attempts == 0)
        self.world.transport.route("a", .failure(.connectionLost))
        let lost = try #require(await self.failure(FixtureText()))
        #expect(lost.context.attempts == 1)
        #expect(lost.context.status == nil)
        #expect(lost.context.body == nil)
    }

    @Test(arguments: [0, 16_383, 16_384, 16_385, 1 << 20])
    func `keep no more than the first part of the body`(size: Int) async throws {
        self.world.transport.route("a", .data(Data((0..<size).map { UInt8($0 % 251) }), status: 500))
        let error = try #require(await self.failure(FixtureData()))
        #expect(error.context.body == Data((0..<min(size, 16_384)).map { UInt8($0 % 251) }))
    }

    @Test(arguments: [
        "https://user:hunter2@api.test/a", "a?token=hunter2", "a?access_token=hunter2&x=1", "a?x=1&API_KEY=hunter2",
        "a?pass%77ord=hunter2", "a?client_secret=hunter2#hunter2", "a#hunter2", "a?session=hunter2",
    ])
    func `keep no secret of a URL`(path: String) async throws {
        self.world.transport.route("a", .status(500))
        let error = try #require(await self.failure(FixtureText(path)))
        #expect(error.code == .unacceptableStatus)
        #expect(error.context.url?.hasPrefix("https://api.test/a") == true)
        #expect(!"\(error) \(error.message) \(error.context)".contains("hunter2"))
    }

    @Test(arguments: [
        "https://user:hunter2@api.test:99999/a", "ftp://user:hunter2@api.test/", "a b?token=hunter2",
        "https://api.test/<>?key=hunter2", "//user:hunter2@/",
    ])
    func `keep no secret of a URL that cannot be used`(path: String) async throws {
        let error = try #require(await self.failure(FixtureText(path)))
        #expect(error.code == .invalidURL)
        #expect(!"\(error) \(error.message) \(error.context)".contains("hunter2"))
    }

    @Test func `keep no secret of a base URL that cannot be used`() async throws {
        let world = FixtureWorld { $0.baseURLs.main = "https://user:hunter2@api.test:99999/?token=hunter2" }
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) }
        #expect(error?.code == .invalidURL)
        #expect(error.map { "\($0) \($0.context)" }?.contains("hunter2") == false)
    }

    @Test func `keep no value of a header field that cannot be sent`() async throws {
        let endpoint = FixtureText { $0.headers = ["Authorization": "Bearer hunter2\n"] }
        let error = try #require(await self.failure(endpoint))
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains("Authorization"))
        #expect(!"\(error) \(error.context)".contains("hunter2"))
    }

    @Test func `of an interceptor name it and keep the cause`() async throws {
        let endpoint = FixtureText {
            $0.options = $0.options.interceptors([FixtureInterceptor { _, _, _ in throw FixtureError() }])
        }
        let error = try #require(await self.failure(endpoint))
        let words = "interceptorFailed: FixtureInterceptor failed: a failure of the app [GET https://api.test/a]"
        #expect("\(error)" == words)
        #expect(error.cause is FixtureError)
    }

    @Test func `of a child have its position in the description`() async throws {
        self.world.transport.route("a", .status(500))
        let error = await #expect(throws: ErrandError.self) {
            try await self.world.client.batch(of: [FixtureText()]).value
        }
        #expect(error.map { "\($0)" }?.hasSuffix("[position 0]") == true)
    }

    @Test func `are values: a copy that is changed leaves the other alone`() {
        let error = ErrandError(.timedOut, "late", cause: FixtureError())
        var copy = error
        copy.code = .cancelled
        copy.context.attempts = 3
        #expect(error.code == .timedOut)
        #expect(error.context.attempts == 0)
        #expect(copy.message == "late")
        #expect(copy.cause is FixtureError)
        #expect(copy.context.attempts == 3)
        #expect("\(error)" == "timedOut: late")
    }

    @Test func `are thrown by their type everywhere`() async {
        let client = self.world.client
        let request = client.request(FixtureText())
        let (batch, chain) = (client.batch(of: [FixtureText()]), client.chain(FixtureText()))
        var codes: [ErrandError.Code] = []
        // Each of these compiles only with typed throws: the error is an `ErrandError` without a cast.
        do throws(ErrandError) { _ = try await client.send(FixtureText()) } catch { codes.append(error.code) }
        do throws(ErrandError) { _ = try await client.response(for: FixtureText()) } catch { codes.append(error.code) }
        do throws(ErrandError) { _ = try await request.value } catch { codes.append(error.code) }
        do throws(ErrandError) { _ = try await request.response } catch { codes.append(error.code) }
        do throws(ErrandError) { _ = try await batch.value } catch { codes.append(error.code) }
        do throws(ErrandError) { try await batch.start() } catch { codes.append(error.code) }
        do throws(ErrandError) { _ = try await chain.value } catch { codes.append(error.code) }
        do throws(ErrandError) { try await chain.start() } catch { codes.append(error.code) }
        do throws(ErrandError) { try await chain.add(FixtureText()) } catch { codes.append(error.code) }
        do throws(ErrandError) { _ = try HTTPURL("no url") } catch { codes.append(error.code) }
        let lost = ErrandError.Code.cannotConnect
        let again = ErrandError.Code.alreadyStarted
        #expect(codes == [lost, lost, lost, lost, lost, again, lost, again, again, .invalidURL])
    }
}
