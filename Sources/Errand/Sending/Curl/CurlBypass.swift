#if canImport(CErrandCurl)
    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// The hosts that are reached without a proxy, by the settings or by the environment.
    ///
    /// libcurl reads the proxies of the environment for each transfer, so the bypass list is read as often; it is
    /// parsed only when it has changed.
    struct CurlBypass {
        private var text = ""
        private var list: [ProxyBypass] = []

        /// The variables with the list; the first one that is not empty is used, as in libcurl.
        static let variables = ["no_proxy", "NO_PROXY"]

        /// Returns true if a URL is reached without a proxy.
        mutating func contains(_ url: HTTPURL, by settings: CurlSettings) -> Bool {
            switch settings.network.proxy {
            case .none: false
            case .url: settings.proxy?.bypasses(url) == true
            case .environment: self.contains(url, in: Self.environment)
            }
        }

        /// Returns true if a list, which is usually the cached one, matches the host and port of a URL.
        mutating func contains(_ url: HTTPURL, in text: String) -> Bool {
            if !text.isExactly(self.text) { (self.text, self.list) = (text, ProxyBypass.list(text)) }
            return self.list.contains { $0.contains(url) }
        }

        private static var environment: String {
            for name in Self.variables {
                // Copied at once; libcurl reads the environment in the same way.
                if let list = unsafe getenv(name), unsafe list.pointee != 0 { return unsafe String(cString: list) }
            }
            return ""
        }
    }
#endif
