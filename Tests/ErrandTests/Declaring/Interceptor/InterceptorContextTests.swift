internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("What interceptors are told", .timeLimit(.minutes(60)), .paced)
struct InterceptorContextTests {
    /// What an app says of some of its calls.
    private protocol NeedsConsent {
        var consent: String { get }
    }

    private struct Asking: Endpoint, NeedsConsent {
        typealias Response = String
        var path: EndpointPath = "a"
        var consent = "given"
    }

    /// Notes each context, and sends on as often as it is told.
    private final class Noting: Interceptor {
        private let contexts = Locked<[InterceptorContext]>([])
        private let times: Int

        init(times: Int = 1) {
            self.times = times
        }

        func intercept(
            _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
        ) async throws -> HTTPResponse {
            self.contexts.withLock { $0.append(context) }
            for _ in 1..<self.times { _ = try await next(request) }
            return try await next(request)
        }

        var all: [InterceptorContext] { self.contexts.withLock { $0 } }
    }

    @Test func `is the endpoint, its name, and what the request was sent with`() async throws {
        let noting = Noting()
        let world = FixtureWorld { $0.interceptors = [noting] }
        world.transport.route("a", .text("x"))
        let options = RequestOptions.tag("t").userInfo(["screen": "home"])
        let request = world.client.request(Asking(), options: options)
        _ = try await request.value
        let context = try #require(noting.all.first)
        #expect(context.requestID == request.id)
        #expect((context.endpoint as? any NeedsConsent)?.consent == "given")
        #expect(context.endpointName == "Asking")
        #expect(context.tag == "t")
        #expect(context.userInfo["screen"] as? String == "home")
        #expect(context.attempt == 1)
    }

    @Test func `is the endpoint that was declared, for a stream and a download too`() async throws {
        let noting = Noting()
        let world = FixtureWorld { $0.interceptors = [noting] }
        world.transport.route("a", .text("x"))
        _ = try? await world.client.stream(Asking()) { _ in }
        let context = try #require(noting.all.first)
        #expect(context.endpoint is Asking)
        #expect(context.endpointName == "Asking")
    }

    @Test func `counts attempts, redirections included`() async throws {
        let (outer, inner) = (Noting(times: 2), Noting())
        let world = FixtureWorld { $0.interceptors = [outer, inner] }
        world.transport.route("a", .redirect("b"), .text("x"))
        world.transport.route("b", .text("y"))
        #expect(try await world.client.send(FixtureText()) == "x")
        #expect(outer.all.map(\.attempt) == [1])
        #expect(inner.all.map(\.attempt) == [1, 3])
    }

    @Test func `can be made for a test of an interceptor by itself`() async throws {
        let noting = Noting()
        let context = InterceptorContext(
            endpoint: Asking(), options: .tag("t").userInfo(["a": 1]), attempt: 2)
        let request = HTTPRequest(url: try HTTPURL("https://api.test/a"))
        let response = try await noting.intercept(
            request, context: context, next: InterceptorNext { _ in HTTPResponse(status: 200) })
        #expect(response.status == 200)
        #expect(noting.all.map(\.endpointName) == ["Asking"])
        #expect(noting.all.map(\.tag) == ["t"])
        #expect(noting.all.map(\.attempt) == [2])
        #expect(noting.all.first?.userInfo["a"] as? Int == 1)
    }
}
