internal import ErrandLocks

internal import struct Foundation.Data

/// The transport that a client created: shut down with the client, or when the last request that uses it ends.
package final class OwnedTransport: Transport {
    private let make: @Sendable () -> any Transport
    /// `nil` after shutdown.
    private let state: Locked<(any Transport)?>

    package let reportsConnections: Bool
    package let handlesStops: Bool
    package let cachePartition: String

    init(_ make: @escaping @Sendable () -> any Transport) {
        let transport = make()
        self.make = make
        self.state = Locked(transport)
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
            return OwnedTransport { CurlTransport(settings: settings) }
        #else
            return OwnedTransport { URLSessionTransport(settings: settings) }
        #endif
    }

    package func exchange(
        _ request: HTTPRequest, _ context: ExchangeContext
    ) async throws(ErrandError) -> HTTPResponse {
        guard let transport = self.state.withLock({ $0 }) else {
            throw ErrandError(.clientShutDown, "the transport was shut down")
        }
        let response = try await transport.exchange(request, context)
        // A replaced transport is released with its last exchange.
        return response.keeping(transport)
    }

    /// Sends later requests over a new transport; the old one is released when its exchanges have ended.
    func renew() {
        guard self.state.withLock({ $0 }) != nil else { return }
        let transport = self.make()
        let last = self.state.withLock { state -> (any Transport)? in
            guard state != nil else { return nil }
            defer { state = transport }
            return state
        }
        withExtendedLifetime(last) {}
    }

    package func shutdown() {
        let transport = self.state.withLock { $0.take() }
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
