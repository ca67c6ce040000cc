internal import Errand

/// A transport selected by name.
enum BenchTransport: String {
    case curl
    case urlsession

    init(named name: String) throws(UsageError) {
        guard let transport = BenchTransport(rawValue: name) else {
            throw UsageError("there is no transport \"\(name)\", only curl and urlsession")
        }
        self = transport
    }

    /// Creates the transport, which the caller has to shut down.
    func make() throws -> any Transport {
        switch self {
        case .urlsession: return URLSessionTransport()
        case .curl:
            #if canImport(CErrandBench)
                return CurlTransport()
            #else
                throw BenchError("there is no transport on libcurl on this platform")
            #endif
        }
    }
}
