#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    internal import Foundation

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #else
        internal import Network
    #endif

    /// The settings that URLSession supports, and the errors for the others.
    struct URLSessionSettings: Sendable {
        /// The TLS rules; the system's if there is a problem.
        let tls: LoadedTLSPolicy

        private let settings: TransportSettings
        /// The error for every exchange, if any.
        private let problem: ErrandError?

        /// Validates settings, and reads their files.
        init(_ settings: TransportSettings) {
            self.settings = settings
            do throws(ErrandError) {
                try settings.validateNetwork()
                self.tls = try LoadedTLSPolicy(settings.tls)
                self.problem = Self.unsupported(in: settings)
            } catch {
                self.tls = .system
                self.problem = error
            }
        }

        /// A text that separates cached responses by settings.
        var cachePartition: String { self.settings.cachePartition }

        /// Checks that a URL can be reached under these settings.
        ///
        /// - Returns: A notice for the user, if any.
        /// - Throws: ``ErrandError`` if it cannot be reached.
        func check(_ url: HTTPURL) throws(ErrandError) -> String? {
            if let problem = self.problem { throw problem }
            guard url.isSecure else { return nil }
            let rules = self.tls.rules(for: url.host)
            if let wish = self.unsupportedWish(in: rules) {
                throw Self.refusal(of: "\(wish), as the rules for \(url.host) want")
            }
            return rules.notice
        }

        private static func unsupported(in settings: TransportSettings) -> ErrandError? {
            if settings.unixSocket != nil { return Self.refusal(of: "connect to a socket in the file system") }
            if settings.interface != nil { return Self.refusal(of: "choose an interface") }
            if settings.addressFamily != .any { return Self.refusal(of: "choose between IPv4 and IPv6") }
            if settings.httpVersions != .automatic { return Self.refusal(of: "choose the version of HTTP") }
            if !settings.decodesContent { return Self.refusal(of: "leave content undecoded") }
            return Self.unsupported(in: settings.proxy)
        }

        private static func refusal(of wish: String) -> ErrandError {
            ErrandError(.unsupported, "URLSessionTransport cannot \(wish)")
        }
    }

    #if canImport(FoundationNetworking)
        extension URLSessionSettings {
            /// Does nothing: URLSession has no such settings here.
            func apply(to configuration: URLSessionConfiguration) {}

            private func unsupportedWish(in rules: LoadedTLSRules) -> String? {
                rules.isStandard ? nil : "use other TLS rules than the system's"
            }

            private static func unsupported(in proxy: TransportSettings.Proxy) -> ErrandError? {
                proxy == .environment ? nil : Self.refusal(of: "use other proxies than those of the environment")
            }
        }
    #else
        extension URLSessionSettings {
            /// Applies the settings for all connections of a session.
            func apply(to configuration: URLSessionConfiguration) {
                configuration.tlsMinimumSupportedProtocolVersion =
                    self.tls.minimumVersion == .tls1_3 ? .TLSv13 : .TLSv12
                switch self.settings.proxy {
                case .environment: break
                case .none: configuration.connectionProxyDictionary = [:]
                case .url:
                    // With an invalid proxy, every exchange fails with the problem above.
                    guard let address = try? self.settings.proxy.address() else { return }
                    configuration.proxyConfigurations = [ProxyConfiguration(address)].compactMap(\.self)
                }
            }

            private func unsupportedWish(in rules: LoadedTLSRules) -> String? {
                if rules.identity != nil { return "show a client certificate" }
                // A session has one minimum version for all hosts.
                return rules.minimumVersion != self.tls.minimumVersion ? "speak TLS 1.3 only" : nil
            }

            private static func unsupported(in proxy: TransportSettings.Proxy) -> ErrandError? {
                guard let address = try? proxy.address() else { return nil }
                if let other = address.bypass.first(where: { !$0.isPlainHost }) {
                    return Self.refusal(of: "reach \(other.text) without a proxy, but only hosts and addresses")
                }
                guard ProxyConfiguration(address) == nil else { return nil }
                return Self.refusal(of: "use a proxy of the kind \(address.scheme.rawValue)")
            }
        }

        extension ProxyConfiguration {
            /// Creates the configuration for a proxy; `nil` if its kind is not supported.
            fileprivate init?(_ address: ProxyAddress) {
                guard let number = UInt16(exactly: address.port), let port = NWEndpoint.Port(rawValue: number) else {
                    return nil
                }
                let endpoint = NWEndpoint.hostPort(host: NWEndpoint.Host(address.bareHost), port: port)
                switch address.scheme {
                case .http: self.init(httpCONNECTProxy: endpoint)
                case .https: self.init(httpCONNECTProxy: endpoint, tlsOptions: NWProtocolTLS.Options())
                case .socks5, .socks5h: self.init(socksv5Proxy: endpoint)
                case .socks4, .socks4a: return nil
                }
                self.excludedDomains = address.bypass.map(\.text)
                if let user = address.user { self.applyCredential(username: user, password: address.password ?? "") }
            }
        }
    #endif
#endif
