internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// Loses the connection of every request, and says whether it was processed.
private struct LosingTransport: Transport {
    let isUnprocessed: Bool
    /// Whether it reads the beginning of a stream.
    var reads = false

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        if self.reads, case .stream(let stream, _) = request.body {
            var iterator = stream.makeAsyncIterator()
            _ = try await iterator.next()
        }
        var error = ErrandError(.connectionLost, "the connection was lost")
        error.context.isUnprocessed = self.isUnprocessed
        throw error
    }
}

@Suite(
    "Retries of requests that were certainly not processed (G16)",
    .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct UnprocessedRetryTests {
    private func end(
        of call: FixtureText, over transport: LosingTransport, _ retries: RetryPolicy
    ) async -> ErrandError? {
        let client = Client(baseURL: "http://a.test/") {
            $0.transport = transport
            $0.options = $0.options.retries(retries)
        }
        return await client.request(call).fixtureResult.fixtureFailure
    }

    private static let twice = RetryPolicy(limit: 2, backoff: .every(.zero))

    @Test(arguments: [HTTPMethod.post, .patch, .get], [true, false])
    func `a policy sends them again whatever their method is`(method: HTTPMethod, isUnprocessed: Bool) async {
        let error = await self.end(
            of: FixtureText { $0.method = method }, over: LosingTransport(isUnprocessed: isUnprocessed), Self.twice)
        #expect(error?.context.attempts == (isUnprocessed || method == .get ? 3 : 1))
        #expect(error?.isUnprocessed == isUnprocessed && error?.code == .connectionLost)
    }

    @Test func `without a policy they end with an error that says so`() async {
        let error = await self.end(
            of: FixtureText { $0.method = .post }, over: LosingTransport(isUnprocessed: true), .never)
        #expect(error?.context.attempts == 1 && error?.isUnprocessed == true)
    }

    @Test(arguments: [true, false])
    func `a body that can be read only once is sent again if nothing of it was read`(wasRead: Bool) async {
        let stream = BodyStream {
            var rest = 3
            return { () async throws(ErrandError) -> Data? in
                rest -= 1
                return rest < 0 ? nil : Data(count: 1)
            }
        }
        let error = await self.end(
            of: FixtureText { ($0.method, $0.body) = (.post, .stream(stream)) },
            over: LosingTransport(isUnprocessed: true, reads: wasRead), Self.twice)
        #expect(error?.context.attempts == (wasRead ? 1 : 3))
    }
}
