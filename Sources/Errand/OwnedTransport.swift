internal import ErrandLocks
internal import Synchronization

/// The transport that a client made for itself: shut down with the client, or when the last request that uses it ends.
package final class OwnedTransport: Transport {
    private let transport: any Transport
    /// What whoever runs the app should know about this transport, until somebody was told.
    private let notice: Locked<String?>
    private let isShutDown = Atomic<Bool>(false)

    init(_ transport: any Transport, notice: String? = nil) {
        self.transport = transport
        self.notice = Locked(notice)
    }

    deinit {
        self.shutdown()
    }

    /// The best transport of the platform.
    static func platform(_ settings: TransportSettings) -> OwnedTransport {
        #if canImport(CErrandCurl)
            if let problem = CurlTransport.problem { return .fallback(settings, problem) }
            return OwnedTransport(CurlTransport(settings: settings))
        #else
            return OwnedTransport(URLSessionTransport(settings: settings))
        #endif
    }

    /// The transport for a machine on which libcurl has a problem.
    package static func fallback(_ settings: TransportSettings, _ problem: String) -> OwnedTransport {
        OwnedTransport(
            URLSessionTransport(settings: settings),
            notice: "libcurl cannot be used, so requests go through URLSession: \(problem)")
    }

    package func exchange(
        _ request: HTTPRequest, _ context: ExchangeContext
    ) async throws(ErrandError) -> HTTPResponse {
        if context.isObserved, let notice = self.notice.withLock({ $0.take() }) { context.report(.notice(notice)) }
        return try await self.transport.exchange(request, context)
    }

    package var reportsConnections: Bool { self.transport.reportsConnections }

    package var handlesStops: Bool { self.transport.handlesStops }

    package var cachePartition: String { self.transport.cachePartition }

    package func shutdown() {
        guard !self.isShutDown.exchange(true, ordering: .acquiringAndReleasing) else { return }
        self.transport.shutdown()
    }
}
