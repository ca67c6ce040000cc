#if canImport(CErrandCurl)
    /// The settings of a transport, checked and with everything read that they name.
    struct CurlSettings: Sendable {
        let tls: LoadedTLSPolicy
        let proxy: ProxyAddress?
        let network: TransportSettings

        /// Checks settings; blocks for as long as reading their files takes.
        ///
        /// - Throws: ``ErrandError``.
        init(_ settings: TransportSettings) throws(ErrandError) {
            try settings.validateNetwork()
            self.tls = try LoadedTLSPolicy(settings.tls)
            self.proxy = try settings.proxy.address()
            self.network = settings
        }

        /// How long addresses are remembered, in whole seconds.
        var nameCacheSeconds: Int {
            let (seconds, attoseconds) = self.network.nameCacheLifetime.components
            return Int(clamping: min(seconds + (attoseconds > 0 ? 1 : 0), Int64(Int32.max)))
        }
    }
#endif
