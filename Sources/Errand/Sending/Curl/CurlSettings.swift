#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import class Foundation.ProcessInfo

    /// The validated settings of a transport, with the contents of their files.
    struct CurlSettings: Sendable {
        let tls: LoadedTLSPolicy
        let proxy: ProxyAddress?
        let network: TransportSettings
        /// The version of libcurl, as 0xXXYYZZ.
        let version: UInt32
        /// A host with its port and addresses in libcurl's format, overriding the system's resolver; for tests.
        let addresses: String?

        /// Validates settings, and blocks while it reads their files.
        ///
        /// - Throws: ``ErrandError``.
        init(_ settings: TransportSettings, version: UInt32, addresses: String? = nil) throws(ErrandError) {
            try settings.validateNetwork()
            self.tls = try LoadedTLSPolicy(settings.tls)
            self.proxy = try settings.proxy.address()
            self.network = settings
            self.version = version
            self.addresses = addresses
        }

        /// True if libcurl has a callback before sending, each time it sends a request: since 7.80.
        var tellsOfSending: Bool { self.version >= 0x07_50_00 }

        /// True if a folded line at the start of a head can make a reused handle corrupt memory: from 7.84 until 8.1 of
        /// the loaded library, whatever ``version`` is.
        let followsFoldedLines = (0x07_54_00..<0x08_01_00).contains(errand_curl_version_number())

        /// True if handles can be reused: not with 7.84.0, which also corrupts memory if a head continues while it is
        /// paused.
        let reusesHandles = errand_curl_version_number() != 0x07_54_00

        /// True if a connection with HTTP/2 that was not negotiated by TLS can be reused: since 8.0.
        var sharesPlainHTTP2: Bool { self.version >= 0x08_00_00 }

        /// True if such a connection can be reused by a workaround, see ``PlainHTTP2``: since 7.88, and with
        /// connections that have end points.
        var joinsPlainHTTP2: Bool { self.version >= 0x07_58_00 && self.network.unixSocket == nil }

        /// Returns the proxy or socket for a URL, as named in an error; `nil` if none is known.
        func way(
            to url: HTTPURL, in environment: [String: String] = ProcessInfo.processInfo.environment
        ) -> String? {
            if let unixSocket = self.network.unixSocket { return "at the socket \(unixSocket)" }
            switch self.network.proxy {
            case .none: return nil
            case .url:
                guard let proxy = self.proxy, !proxy.bypasses(url) else { return nil }
                return "through the proxy \(proxy.url)"
            case .environment:
                let list = CurlBypass.variables.compactMap { environment[$0] }.first { !$0.isEmpty }
                if ProxyBypass.list(list ?? "").contains(where: { $0.contains(url) }) { return nil }
                // Only the names of the variables, because a value may contain a password. For http URLs, libcurl reads
                // only the lower-case variable.
                let names =
                    (url.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
                let name = names.first { environment[$0]?.isEmpty == false }
                return name.map { "(perhaps through the proxy that \($0) names in the environment)" }
            }
        }

        /// The time for which addresses are cached, in whole seconds.
        var nameCacheSeconds: Int {
            let (seconds, attoseconds) = self.network.nameCacheLifetime.bounded.components
            return Int(clamping: min(seconds + (attoseconds > 0 ? 1 : 0), Int64(Int32.max)))
        }

        /// Returns the maximum number of connections to keep open with this number of exchanges: libcurl includes those
        /// in use, and does not accept the largest integers.
        func connectionLimit(inUse: Int) -> Int {
            min(self.network.maximumIdleConnections, 1 << 20) + inUse
        }
    }
#endif
