#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import class Foundation.ProcessInfo

    /// The settings of a transport, checked and with everything read that they name.
    struct CurlSettings: Sendable {
        let tls: LoadedTLSPolicy
        let proxy: ProxyAddress?
        let network: TransportSettings
        /// The version of libcurl, as 0xXXYYZZ.
        let version: UInt32
        /// A host with its port and addresses as libcurl reads them, in place of what the system's resolver says; for
        /// tests.
        let addresses: String?

        /// Checks settings; blocks for as long as reading their files takes.
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

        /// Whether libcurl tells that it begins to send a request, each time it does so: since 7.80.
        var tellsOfSending: Bool { self.version >= 0x07_50_00 }

        /// Whether a folded line at the beginning of a head can make a handle that was used before break memory: from 7.84
        /// until 8.1, of the library that is loaded, whatever version is reckoned with.
        let followsFoldedLines = (0x07_54_00..<0x08_01_00).contains(errand_curl_version_number())

        /// Whether a handle can be used for another exchange: not with 7.84.0, which breaks memory, too, where a head goes on
        /// while it is paused.
        let reusesHandles = errand_curl_version_number() != 0x07_54_00

        /// Whether a connection can be used again on which HTTP/2 was not agreed on by TLS: since 8.0.
        var sharesPlainHTTP2: Bool { self.version >= 0x08_00_00 }

        /// Whether such a connection can be used again by a trick, see ``PlainHTTP2``: with 7.88, and where connections
        /// have end points to be known by.
        var joinsPlainHTTP2: Bool { self.version >= 0x07_58_00 && self.network.unixSocket == nil }

        /// What connections for a URL go through in place of to its host, as an error names it; `nil` when nothing
        /// says so.
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
                // Their names alone: what they say may have a password. libcurl knows the first for URLs with http in
                // small letters only.
                let names =
                    (url.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
                let name = names.first { environment[$0]?.isEmpty == false }
                return name.map { "(perhaps through the proxy that \($0) names in the environment)" }
            }
        }

        /// The time for which addresses are remembered, in whole seconds.
        var nameCacheSeconds: Int {
            let (seconds, attoseconds) = self.network.nameCacheLifetime.bounded.components
            return Int(clamping: min(seconds + (attoseconds > 0 ? 1 : 0), Int64(Int32.max)))
        }

        /// The most connections to keep open, while so many exchanges are under way: libcurl counts those in use, too,
        /// and in the number that it takes it has no room for all that an integer can be.
        func connectionLimit(inUse: Int) -> Int {
            min(self.network.maximumIdleConnections, 1 << 20) + inUse
        }
    }
#endif
