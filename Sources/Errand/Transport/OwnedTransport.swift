internal import Synchronization

/// The transport that a client made for itself: shut down with the client, or when the last request that uses it ends.
final class OwnedTransport: Transport {
    private let transport: any Transport
    private let isShutDown = Atomic<Bool>(false)

    init(_ transport: any Transport) {
        self.transport = transport
    }

    deinit {
        self.shutdown()
    }

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        try await self.transport.exchange(request, context)
    }

    func shutdown() {
        guard !self.isShutDown.exchange(true, ordering: .acquiringAndReleasing) else { return }
        self.transport.shutdown()
    }
}
