internal import Errand
internal import Foundation

/// A call whose response is bytes.
struct GetItem: Endpoint {
    typealias Response = Data
    var path: EndpointPath { "items/1" }
}

/// Responds to every request with the same bytes after one yield.
struct MemoryTransport: Transport {
    /// True, since it never waits.
    var handlesStops: Bool { true }

    private let response = HTTPResponse(
        status: 200, headers: ["Content-Type": "application/octet-stream"], body: Data(count: 1024))

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        await Task.yield()
        context.report(.responseHead(self.response.head))
        return self.response
    }
}

/// An accessory that inspects its arguments at minimal cost.
struct CountingAccessory: Accessory {
    func willStart(_ activity: RequestActivity) {
        if activity.kind != .request { fatal("wrong activity") }
    }

    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
        if end.attempts != 1 { fatal("wrong end") }
    }
}

extension Client {
    /// Sends a request for bytes, and inspects them.
    func sendItem() async {
        guard let data = try? await self.send(GetItem()), data.count == 1024 else { fatal("wrong answer") }
    }
}

extension Transport {
    /// The same call without Errand: creates the request, calls the transport, inspects the response.
    func callDirectly() async {
        guard let url = try? HTTPURL("http://bench.invalid/v1/items/1") else { fatal("wrong URL") }
        let context = ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 1 << 20))
        guard let response = try? await self.exchange(HTTPRequest(url: url), context), response.data.count == 1024
        else { fatal("wrong answer") }
    }
}

func fatal(_ message: String) -> Never {
    FileHandle.standardError.write(Data("errand-bench: \(message)\n".utf8))
    exit(1)
}
