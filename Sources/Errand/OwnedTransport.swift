internal import ErrandLocks

internal import struct Foundation.Data

/// The transport that a client created: shut down with the client, or when the last request that uses it ends.
package final class OwnedTransport: Transport {
    private struct State {
        /// `nil` after shutdown.
        var transport: (any Transport)?
        /// A notice for the developer about this transport, until it is delivered.
        var notice: String?
    }

    private let make: @Sendable () -> any Transport
    private let state: Locked<State>

    package let reportsConnections: Bool
    package let handlesStops: Bool
    package let cachePartition: String

    init(notice: String? = nil, _ make: @escaping @Sendable () -> any Transport) {
        let transport = make()
        self.make = make
        self.state = Locked(State(transport: transport, notice: notice))
        self.reportsConnections = transport.reportsConnections
        self.handlesStops = transport.handlesStops
        self.cachePartition = transport.cachePartition
    }

    deinit {
        self.shutdown()
    }

    /// Creates the platform's preferred transport.
    static func platform(_ settings: TransportSettings) -> OwnedTransport {
        #if canImport(CErrandCurl)
            if let problem = CurlTransport.problem { return .fallback(settings, problem) }
            return OwnedTransport { CurlTransport(settings: settings) }
        #else
            return OwnedTransport { URLSessionTransport(settings: settings) }
        #endif
    }

    /// Creates the transport for a machine where libcurl cannot be used.
    package static func fallback(_ settings: TransportSettings, _ problem: String) -> OwnedTransport {
        OwnedTransport(notice: "libcurl cannot be used, so requests go through URLSession: \(problem)") {
            URLSessionTransport(settings: settings)
        }
    }

    package func exchange(
        _ request: HTTPRequest, _ context: ExchangeContext
    ) async throws(ErrandError) -> HTTPResponse {
        let transport = try self.current(for: context)
        let response = try await transport.exchange(request, context)
        // A replaced transport is released with its last exchange.
        return response.keeping(transport)
    }

    /// Returns the transport for an exchange, and delivers a pending notice to the exchange's observer.
    @inline(never)
    private func current(for context: ExchangeContext) throws(ErrandError) -> any Transport {
        let (transport, notice) = self.state.withLock { state in
            (state.transport, context.isObserved ? state.notice.take() : nil)
        }
        if let notice { context.report(.notice(notice)) }
        guard let transport else { throw .sessionShutDown }
        return transport
    }

    /// Sends later requests over a new transport; the old one is released when its exchanges have ended.
    func renew() {
        guard self.state.withLock({ $0.transport }) != nil else { return }
        let transport = self.make()
        let last = self.state.withLock { state -> (any Transport)? in
            guard state.transport != nil else { return nil }
            defer { state.transport = transport }
            return state.transport
        }
        withExtendedLifetime(last) {}
    }

    package func shutdown() {
        let transport = self.state.withLock { $0.transport.take() }
        transport?.shutdown()
    }
}

extension HTTPResponse {
    /// Returns the response with its body stream retaining the transport.
    @inline(never)
    fileprivate func keeping(_ transport: any Transport) -> HTTPResponse {
        guard case .stream(let body) = self.body else { return self }
        var response = self
        response.body = .stream(body.keeping(transport))
        return response
    }
}

extension BodyStream {
    /// Returns the stream retaining a transport.
    fileprivate func keeping(_ transport: any Transport) -> BodyStream {
        BodyStream(endingWith: { self.cancel?() }) {
            var iterator = self.makeAsyncIterator()
            return { () async throws(ErrandError) -> Data? in
                defer { withExtendedLifetime(transport) {} }
                return try await iterator.next()
            }
        }
    }
}
