#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import struct Foundation.Data

    /// Options that stay for the lifetime of a handle.
    extension CurlOptions {
        /// Sets the options that do not depend on the request.
        ///
        /// - Throws: ``ErrandError`` if the loaded libcurl does not support the settings.
        func setUp() throws(ErrandError) {
            try self.setHabits()
            try self.setNetwork()
            try self.setTrust()
            try self.setIdentity()
        }

        private func setHabits() throws(ErrandError) {
            // No signals, only these schemes, no path rewriting, and only Errand's deadlines.
            try self.set(ERRAND_CURL_NO_SIGNAL, 1)
            try self.set(
                ERRAND_CURL_PROTOCOLS, Int(ERRAND_CURL_PROTOCOL_HTTP.rawValue | ERRAND_CURL_PROTOCOL_HTTPS.rawValue))
            try self.set(ERRAND_CURL_PATH_AS_IS, 1)
            try self.set(ERRAND_CURL_SUPPRESS_CONNECT_HEADERS, 1)
            try self.set(ERRAND_CURL_TCP_KEEP_ALIVE, 1)
            try self.set(ERRAND_CURL_OLDEST_IDLE_CONNECTION, self.settings.idleSeconds)
            // Since 7.87: a cancelled name lookup is detached instead of waited for. Older versions ignore the option.
            unsafe errand_curl_set_long(self.easy, Int32(ERRAND_CURL_QUICK_EXIT.rawValue), 1)
        }

        private func setNetwork() throws(ErrandError) {
            let network = self.settings.network
            try self.set(ERRAND_CURL_DNS_CACHE_SECONDS, self.settings.nameCacheSeconds)
            switch network.addressFamily {
            case .any: break
            case .ipv4: try self.set(ERRAND_CURL_IP_RESOLVE, Int(ERRAND_CURL_IP_4.rawValue))
            case .ipv6: try self.set(ERRAND_CURL_IP_RESOLVE, Int(ERRAND_CURL_IP_6.rawValue))
            }
            if let interface = network.interface { try self.set(ERRAND_CURL_INTERFACE, interface) }
            if let path = network.unixSocket { try self.set(ERRAND_CURL_UNIX_SOCKET, path) }
            if let addresses = self.settings.addresses { try self.setAddresses(addresses) }
            switch network.proxy {
            case .environment: break
            // Empty, to override the environment.
            case .none: try self.set(ERRAND_CURL_PROXY, "")
            case .url: try self.setProxy()
            }
        }

        /// Sets the addresses of a host, which replace those of the system's resolver.
        private func setAddresses(_ line: String) throws(ErrandError) {
            guard let list = unsafe errand_curl_list_append(nil, line) else {
                throw ErrandError(.transportFailed, "libcurl has no memory for addresses")
            }
            unsafe self.addresses = list
            unsafe errand_curl_set_list(self.easy, Int32(ERRAND_CURL_ADDRESSES.rawValue), list)
        }

        private func setProxy() throws(ErrandError) {
            guard let proxy = self.settings.proxy else { return }
            try self.set(ERRAND_CURL_PROXY, proxy.url)
            if let user = proxy.user { try self.set(ERRAND_CURL_PROXY_USER, user) }
            if let password = proxy.password { try self.set(ERRAND_CURL_PROXY_PASSWORD, password) }
        }

        // MARK: - TLS

        private func setTrust() throws(ErrandError) {
            let version = self.rules.minimumVersion == .tls1_3 ? ERRAND_CURL_TLS_1_3 : ERRAND_CURL_TLS_1_2
            try self.set(ERRAND_CURL_TLS_VERSION, Int(version.rawValue))
            if let pins = self.rules.pinList { try self.set(ERRAND_CURL_PINNED_PUBLIC_KEY, pins) }
            switch self.rules.trust {
            case .system: break
            case .authorities(let pem):
                // Only these authorities, without the system's.
                try self.set(ERRAND_CURL_CA_FOLDER, nil)
                try self.set(ERRAND_CURL_CA_FILE, nil)
                try self.set(ERRAND_CURL_CA_BYTES, pem)
            case .unverified:
                try self.set(ERRAND_CURL_VERIFY_PEER, 0)
                try self.set(ERRAND_CURL_VERIFY_HOST, 0)
            }
        }

        private func setIdentity() throws(ErrandError) {
            guard let identity = self.rules.identity else { return }
            try self.set(ERRAND_CURL_CLIENT_CERTIFICATE_BYTES, identity.chain)
            try self.set(ERRAND_CURL_CLIENT_KEY_BYTES, identity.privateKey)
            if let passphrase = identity.passphrase { try self.set(ERRAND_CURL_KEY_PASSWORD, passphrase) }
        }
    }
#endif
