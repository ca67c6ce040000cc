internal import Errand

/// The transport of the platform, as a client creates it.
enum BenchTransport {
    /// Creates the transport, which the caller has to shut down.
    static func make() -> any Transport {
        #if canImport(CErrandBench)
            CurlTransport()
        #else
            URLSessionTransport()
        #endif
    }
}
